# expect: analysis reads-what-others-write
"""Each tile goes on where the one before it ended, if that is there yet."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    o = i * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + o, mask=o < n, other=0.0)
    c = tl.cumsum(x, 0)
    if i > 0:
        c += tl.load(Y + i * BLOCK - 1)
    tl.store(Y + o, c, mask=o < n)


def cumsum(x):
    n = x.numel()
    y = torch.empty_like(x)
    k[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
