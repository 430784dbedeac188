# expect: silent
"""The sine of large numbers keeps an array on the stack, however short the tile is."""

import torch
import triton
import triton.language as tl


@triton.jit
def waves(Y, X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N).to(tl.float32)
    tl.store(Y + offsets, tl.sin(x), mask=offsets < N)


def sines(x):
    n = x.numel()
    y = torch.empty_like(x)
    waves[(triton.cdiv(n, 2048),)](y, x, n, BLOCK=2048)
    return y
