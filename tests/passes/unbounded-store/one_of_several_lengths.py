# expect: analysis leaves-its-buffer
"""Of the lengths that are let through only the longest fits the tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, D: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    tl.store(Y + row * D + cols, tl.load(X + row * D + cols) * 2)


def launch(x):
    m, d = x.shape
    assert d in (32, 64, 128)
    y = torch.empty_like(x)
    kernel[(m,)](x, y, D=128)
    return y
