import torch
import triton
import triton.language as tl


# case: rows_on_the_first_axis
# expect: silent
"""Axis 0 is long enough."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m, triton.cdiv(n, 64))](x, y, n, BLOCK=64)
    return y


# case: few_rows
# like: rows_on_the_second_axis
# expect: silent
"""The launcher refuses more."""
#     m, n = x.shape
#+    assert m <= 4096


# case: batches_of_heads
# like: rows_on_the_second_axis
# expect: silent
"""Of four dimensions the first is a batch as well as anything."""
#-    m, n = x.shape
#+    b, h, s, n = x.shape
#-    kernel[(triton.cdiv(n, 64), m)](x, y, n, BLOCK=64)
#+    kernel[(triton.cdiv(n, 64), b)](x, y, n, BLOCK=64)


# case: columns_in_tiles
# like: rows_on_the_first_axis
# expect: silent
"""Tiles along axis 1 are few."""


# case: matrices_on_the_second_axis
# expect: silent
"""Matrices that are divided into tiles are few."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    matrix = tl.program_id(1)
    cells = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + matrix * N + cells, mask=cells < N)
    tl.store(Y + matrix * N + cells, x * 2, mask=cells < N)


def launch(x):
    b, m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m * n, 64), b)](x, y, m * n, BLOCK=64)
    return y
