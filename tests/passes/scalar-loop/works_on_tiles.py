# expect: silent
"""A scalar load beside tiles: these would get one more axis."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(n):
        acc += tl.load(W + i) * tl.load(X + i * BLOCK + cols)
    tl.store(Y + cols, acc)
