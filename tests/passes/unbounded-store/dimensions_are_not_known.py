# expect: silent
"""Rows of several elements, for all that the launcher shows."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def double(x):
    y = torch.empty_like(x)
    n = x.shape[0]
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
