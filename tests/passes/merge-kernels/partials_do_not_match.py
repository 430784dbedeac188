import torch
import triton
import triton.language as tl


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


# case: a_group_is_left_out
# like: below_a_lock
# expect: not applied, partials-do-not-match
"""The second kernel leaves a group out."""
#-    tl.debug_barrier()

#-    final[(triton.cdiv(n, 16),)](p, y, groups, n, ROWS=8, COLS=16)
#+    final[(triton.cdiv(n, 16),)](p, y, groups - 1, n, ROWS=8, COLS=16)


# case: all_columns_of_fewer
# like: sums_of_columns
# expect: not applied, partials-do-not-match
"""The second kernel leaves out columns."""
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    half = n // 2
#+    final[(triton.cdiv(half, 16),)](p, y, m, half, ROWS=8, COLS=16)


# case: grid_of_the_tuner
# like: sum_of_integers
# expect: not applied, partials-do-not-match
"""How many partial results there are depends on the tuner."""
# import triton.language as tl
#
#
#+@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["N"])
#-    partial[(tiles,)](x, p, n, BLOCK=16)
#+    partial[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, p, n)


# case: rows_of_one_program
# expect: not applied, partials-do-not-match
"""A program stores all partial results."""


@triton.jit
def partial(X, P, stride, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (cols < N)[None, :]
    x = tl.load(X + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    tl.store(P + rows[:, None] * N + cols[None, :], x.to(tl.float32), mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    m = 16
    assert x.shape[0] == m
    p = torch.empty((16, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(1,)](x, p, x.stride(0), n, ROWS=16, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, 16, n, ROWS=8, COLS=16)
    return y


# case: rows_side_by_side
# like: sums_of_columns
# expect: not applied, partials-do-not-match
"""Rows lie so that one overlaps the next."""
#-    tl.store(P + row * N + cols, x * x, mask=mask)
#+    tl.store(P + row + cols, x * x, mask=mask)
#-        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
#+        acc += tl.load(P + rows[:, None] + cols[None, :], mask=mask, other=0.0)


# case: slots_in_a_tile
# expect: not applied, partials-do-not-match
"""A program stores several partial results for one element."""


@triton.jit
def partial(X, P, stride, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (cols < N)[None, :]
    x = tl.load(X + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    tl.store(P + rows[:, None] * N + cols[None, :], x.to(tl.float32), mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    assert m % 2 == 0
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m // 2,)](x, p, x.stride(0), n, ROWS=2, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: some_rows_only
# like: sums_of_columns
# expect: not applied, partials-do-not-match
"""The second kernel leaves out the last row."""
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    final[(triton.cdiv(n, 16),)](p, y, m - 1, n, ROWS=8, COLS=16)


# case: stored_under_a_condition
# like: sums_of_columns
# expect: not applied, partials-do-not-match
"""Not every row has a partial result."""
#-    tl.store(P + row * N + cols, x * x, mask=mask)
#+    if row > 0:
#+        tl.store(P + row * N + cols, x * x, mask=mask)
#-    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)


# case: two_programs_to_a_row
# like: sums_of_columns
# expect: not applied, partials-do-not-match
"""Two programs of the first kernel store the same."""
#-    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    partial[(m, 2)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
