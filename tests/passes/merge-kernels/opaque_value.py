import torch
import triton
import triton.language as tl


# case: lock_of_others
# like: below_a_lock
# expect: not applied, opaque-value
"""Two groups share a lock, and one group has two."""
#-        total += tl.load(P + group * N + cols, mask=mask)
#-    tl.store(P + group * N + cols, total, mask=mask)
#+        total += tl.load(P + (row % 2) * N + cols, mask=mask)
#+    tl.store(P + (row % 2) * N + cols, total, mask=mask)


# case: one_tile_of_rows
# like: sums_of_columns
# expect: not applied, opaque-value
"""The second kernel takes 8 rows, however many there are."""
#-    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
#-    for start in range(0, M, ROWS):
#-        rows = start + tl.arange(0, ROWS)
#-        mask = (rows < M)[:, None] & (cols < N)[None, :]
#-        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
#+    rows = tl.arange(0, ROWS)
#+    mask = (rows < M)[:, None] & (cols < N)[None, :]
#+    acc = tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)


# case: rest_is_ones
# like: sums_of_columns
# expect: not applied, opaque-value
"""Columns behind the tile are ones, which the second kernel takes in."""
#-    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    p = torch.ones((m, n), dtype=torch.float32, device=x.device)
#-    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    partial[(m,)](x, p, x.stride(0), n, BLOCK=64)


# case: rest_is_zeros
# expect: not applied, opaque-value
"""Columns behind the tile are zeros, which may be the largest."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.full([ROWS, COLS], -float("inf"), dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        p = tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=-float("inf"))
        acc = tl.maximum(acc, p)
    tl.store(Y + cols, tl.max(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=64)
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: rows_taken_twice
# like: sums_of_columns
# expect: not applied, opaque-value
"""The second kernel goes through the rows by half a tile."""
#-    for start in range(0, M, ROWS):
#+    for start in range(0, M, ROWS // 2):


# case: some_columns_only
# like: sums_of_columns
# expect: not applied, opaque-value
"""The second kernel leaves out columns, and has programs for them."""
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    final[(triton.cdiv(n, 16),)](p, y, m, n // 2, ROWS=8, COLS=16)


# case: too_few_programs
# like: sums_of_columns
# expect: not applied, opaque-value
"""The second kernel has no program for the last columns."""
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    final[(n // 16,)](p, y, m, n, ROWS=8, COLS=16)
