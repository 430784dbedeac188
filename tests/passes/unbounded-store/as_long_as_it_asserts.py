# expect: silent
"""The one length that is let through fits the tile, which is not passed."""

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
    assert d == 128
    y = torch.empty_like(x)
    kernel[(m,)](x, y, D=128)
    return y
