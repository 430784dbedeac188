"""Tiles of two blocks, wrapped at a sum; the name that is a scalar tensor of that value is no hint."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, EXTRA, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    width = tl.full((), 2 * BLOCK, tl.int32)
    offs = pid * width + tl.arange(0, 2 * BLOCK)
    src = offs % (N + EXTRA)
    # True if N + EXTRA is a multiple of 2 * BLOCK.
    src = tl.max_contiguous(tl.multiple_of(src, 2 * BLOCK), 2 * BLOCK)
    tl.store(Y + offs, tl.load(X + src))


# tritonopt: x: f32[n]
def repeat(x: torch.Tensor):
    n = x.numel()
    extra = -n % 16
    x = torch.cat([x, x.new_zeros(extra)])
    total = n + extra
    assert total % 16 == 0
    y = torch.empty(2 * total, dtype=x.dtype, device=x.device)
    repeat_kernel[(2 * total // 16,)](x, y, n, extra, BLOCK=8)
    return y
