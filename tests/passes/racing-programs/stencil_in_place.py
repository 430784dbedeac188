# expect: analysis reads-what-others-write
"""The neighbors on both sides belong to other tiles at its ends."""

import torch
import triton
import triton.language as tl


@triton.jit
def blur_kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(X + offsets - 1, mask=(offsets > 0) & (offsets < N), other=0.0)
    right = tl.load(X + offsets + 1, mask=offsets + 1 < N, other=0.0)
    tl.store(X + offsets, (left + right) / 2, mask=offsets < N)


def blur(x: torch.Tensor):
    n = x.numel()
    blur_kernel[(triton.cdiv(n, 32),)](x, n, BLOCK=32)
