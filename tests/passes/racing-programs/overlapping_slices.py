# expect: analysis reads-what-others-write
"""Two slices of one tensor: the last lane of a tile is the first that the next program writes."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x, mask=offsets < N)


def shift(x: torch.Tensor):
    n = x.numel() - 1
    copy_kernel[(triton.cdiv(n, 64),)](x[1:], x[:-1], n, BLOCK=64)
