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


# case: tokens_beside_heads
# expect: finding, grid-ends
"""A program for each head of each token, and the tokens on axis 1."""


@triton.jit
def kernel(X, Y, H, D: tl.constexpr):
    place = (tl.program_id(1) * H + tl.program_id(0)) * D + tl.arange(0, D)
    tl.store(Y + place, tl.load(X + place) * 2)


def launch(x):
    t, h, d = x.shape
    assert d == 64
    y = torch.empty_like(x)
    kernel[(h, t)](x, y, h, D=64)
    return y
