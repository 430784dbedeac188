# expect: silent
"""A function that is not seen may have made the buffer larger."""

import torch
import triton
import triton.language as tl

from elsewhere import enlarge


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x):
    y = torch.empty_like(x)
    enlarge(y)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
