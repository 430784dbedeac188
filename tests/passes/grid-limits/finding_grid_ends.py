import torch
import triton
import triton.language as tl


# case: rows_on_the_second_axis
# expect: finding, grid-ends
"""A program for each row, and the rows on axis 1."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64), m)](x, y, n, BLOCK=64)
    return y


# case: rows_asserted_to_be_even
# expect: finding, grid-ends
"""What the launcher checks does not bound the rows."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    assert m % 2 == 0
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64), m)](x, y, n, BLOCK=64)
    return y


# case: tokens_beside_two_tasks
# expect: finding, grid-ends
"""Of three dimensions only the first one makes the grid larger."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row * N + cols, x * 2, mask=cols < N)


def launch(x):
    m, two, n = x.shape
    assert two == 2
    y = torch.empty_like(x)
    kernel[(2, m)](x, y, n, BLOCK=64)
    return y


# case: matrices_on_the_second_axis
# expect: finding, grid-ends
"""Small matrices may be many."""


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
