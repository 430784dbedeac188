# expect: missed tiles-race
"""One tensor is passed for both, and each row reads the one above it."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_above_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    above = tl.load(X + (row - 1) * stride + cols, mask=(row > 0) & (cols < N), other=0.0)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(Y + row * stride + cols, above + x, mask=cols < N)


def add_above(x: torch.Tensor):
    m, n = x.shape
    add_above_kernel[(m,)](x, x, n, n, BLOCK=triton.next_power_of_2(n))
