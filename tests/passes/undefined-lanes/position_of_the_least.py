# verify: no, it has no launcher
"""The position of the least element, with names imported one by one."""

import triton
from triton.language import arange, argmin, constexpr, load, program_id, store


@triton.jit
def kernel(X, Y, stride, N, BLOCK: constexpr):
    row = program_id(0)
    cols = arange(0, BLOCK)
    x = load(X + row * stride + cols, mask=cols < N)
    store(Y + row, argmin(x, axis=0))
