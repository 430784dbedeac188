# expect: silent
"""Only whole rows of 128 can be viewed so."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, D: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, D)
    tl.store(Y + row * D + cols, tl.load(X + row * D + cols) * 2)


def launch(x):
    rows = x.view(-1, 128)
    assert rows.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 128),)](x, y, D=128)
    return y
