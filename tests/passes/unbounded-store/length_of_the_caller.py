# expect: silent
"""The caller says how long it is: what it passes is its own affair."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x, length):
    y = torch.empty_like(x)
    n = length
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
