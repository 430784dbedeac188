import torch
import triton
import triton.language as tl


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


# case: added_in_double
# like: sums_of_columns
# expect: not applied, kernel-does-more
"""The second kernel adds up in double precision."""
#-    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
#+    acc = tl.zeros([ROWS, COLS], dtype=tl.float64)


# case: adds_a_bias
# expect: not applied, kernel-does-more
"""The second kernel adds something else as well."""
# shared: partial


@triton.jit
def final(P, B, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    bias = tl.load(B + cols, mask=cols < N, other=0.0)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0) + bias, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, x, y, m, n, ROWS=8, COLS=16)
    return y


# case: begins_with_one
# like: sums_of_columns
# expect: not applied, kernel-does-more
"""The second kernel begins with 1."""
#-    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
#+    acc = tl.full([ROWS, COLS], 1.0, dtype=tl.float32)


# case: cleared_elsewhere
# like: largest_number
# expect: not applied, kernel-does-more
"""More lanes are cleared than those that the load leaves undefined."""
#-    x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
#-    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))
#+    x = tl.load(X + cols, mask=cols < N, other=0.0)
#+    tl.store(P + pid, tl.sum(x, axis=0))
#-    x = tl.load(P + slots, mask=slots < M, other=-float("inf"))
#-    tl.store(Y, tl.max(x, axis=0))
#+    x = tl.load(P + slots, mask=slots < M)
#+    x = tl.where(slots < M - 1, x, 0.0)
#+    tl.store(Y, tl.sum(x, axis=0))


# case: divided_by_what_may_be_half
# expect: not applied, kernel-does-more
"""What the sum is divided by may be less than 1, and 0."""
# shared: partial


@triton.jit
def final(P, Y, scale, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0) / scale, mask=cols < N)


def launch(x: torch.Tensor, scale: float = 0.5):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, scale, m, n, ROWS=8, COLS=16)
    return y


# case: mean_of_integers
# expect: not applied, kernel-does-more
"""The sum of integers is exact, and quotients of its parts would be rounded."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.int32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.int32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0) / M, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.int32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: number_divided_by_the_sum
# like: sums_of_columns
# expect: not applied, kernel-does-more
"""The sum divides the number of rows, which is no sum of quotients."""
#-    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)
#+    tl.store(Y + cols, M / tl.sum(acc, axis=0), mask=cols < N)


# case: root_of_each
# like: sums_of_columns
# expect: not applied, kernel-does-more
"""The second kernel takes the root of each partial result."""
#-        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
#+        acc += tl.sqrt(tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0))


# case: root_of_the_sum
# like: sums_of_columns
# expect: not applied, kernel-does-more
"""The second kernel takes the root of the sum, which is no sum of roots."""
#-    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)
#+    tl.store(Y + cols, tl.sqrt(tl.sum(acc, axis=0)), mask=cols < N)
