"""One block of the ring, which is known to be at least as long: no lane wraps at all."""

import torch
import triton
import triton.language as tl


@triton.jit
def head_kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    first: tl.tensor = lanes % N
    # True if no lane reaches N.
    first = tl.max_contiguous(tl.multiple_of(first, BLOCK), BLOCK)
    tl.store(Y + lanes, tl.load(X + first))


# tritonopt: x: f32[n]
def head(x: torch.Tensor):
    n = x.numel()
    assert n >= 8
    y = torch.empty(8, dtype=x.dtype, device=x.device)
    head_kernel[(1,)](x, y, n, BLOCK=8)
    return y
