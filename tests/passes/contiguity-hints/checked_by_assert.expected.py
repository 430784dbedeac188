"""A ring buffer read twice around; the launcher asserts that its length is a whole number of blocks."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    # True if N is a multiple of BLOCK.
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 32 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(2 * n // 32,)](x, y, n, BLOCK=32)
    return y
