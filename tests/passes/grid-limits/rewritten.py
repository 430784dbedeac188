import torch
import triton
import triton.language as tl


# case: rows_on_the_second_axis
# verify: counterexample, the other length is on the axis that ends now
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
# like: rows_on_the_second_axis
# verify: counterexample, the other length is on the axis that ends now
"""What the launcher checks does not bound the rows."""
#     m, n = x.shape
#+    assert m % 2 == 0


# case: tokens_beside_two_tasks
# like: rows_on_the_second_axis
"""Of three dimensions only the first one makes the grid larger."""
#-    m, n = x.shape
#+    m, two, n = x.shape
#+    assert two == 2
#-    kernel[(triton.cdiv(n, 64), m)](x, y, n, BLOCK=64)
#+    kernel[(2, m)](x, y, n, BLOCK=64)


# case: tokens_beside_heads
# verify: counterexample, the other length is on the axis that ends now
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


# case: tiles_of_few_rows
# verify: counterexample, the other length is on the axis that ends now
"""A tile of four rows, and a grid that is a function."""


@triton.jit
def k(X, Y, m, n, BM: tl.constexpr, BN: tl.constexpr):
    c = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
    r = tl.program_id(1).to(tl.int64) * BM + tl.arange(0, BM)[:, None]
    ok = (r < m) & (c < n)
    tl.store(Y + r * n + c, tl.load(X + r * n + c, mask=ok), mask=ok)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = lambda META: (triton.cdiv(n, META["BN"]), triton.cdiv(m, META["BM"]))
    k[grid](x, y, m, n, BM=4, BN=128)
    return y
