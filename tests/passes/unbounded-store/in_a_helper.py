# expect: analysis leaves-its-buffer
"""The store stands in a helper, whose mask lets one lane too many through."""

import torch
import triton
import triton.language as tl

@triton.jit
def put(Y, o, x, n):
    tl.store(Y + o, x, mask=o <= n)


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    put(Y, o, tl.load(X + o, mask=o < n), n)


def f(x):
    y = torch.empty_like(x)
    n = x.numel()
    k[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    return y
