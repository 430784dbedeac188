"""Written where it is used, and used twice."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_rings(X, Y, Out, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(X + tl.max_contiguous(tl.multiple_of(i % N, BLOCK), BLOCK))
    b = tl.load(Y + (tl.max_contiguous(tl.multiple_of(i % N, BLOCK), BLOCK)))
    tl.store(Out + i, a + b)


# tritonopt: x: f32[n], y: f32[n]
def added(x: torch.Tensor, y: torch.Tensor):
    n = x.size(0)
    if not n % 16 == 0:
        raise ValueError(n)
    out = torch.empty(n + 16, dtype=x.dtype, device=x.device)
    add_rings[(n // 16 + 1,)](x, y, out, x.shape[0], 16)
    return out
