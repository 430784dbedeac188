# verify: always
"""The kernel says so itself, with tl.assume; the load stands in a helper."""

import torch
import triton
import triton.language as tl


@triton.jit
def read(base, index):
    return tl.load(base + index)


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    tl.assume(N % BLOCK == 0)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = tl.cast(tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK), tl.int32)
    tl.store(Y + offs, read(X, src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    x = x[:20].repeat(16)
    n = x.numel()
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(n // 8,)](x, y, n, BLOCK=16)
    return y
