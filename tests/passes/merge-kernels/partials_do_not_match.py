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


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


# case: a_group_is_left_out
# expect: not applied, partials-do-not-match
"""The second kernel leaves a group out."""


@triton.jit
def partial(X, P, Lock, stride, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    total = x * x
    group = row % GROUPS
    while tl.atomic_cas(Lock + group, 0, 1) == 1:
        pass
    begun = tl.load(Lock + GROUPS + group)
    if begun == 0:
        tl.atomic_xchg(Lock + GROUPS + group, 1)
    else:
        total += tl.load(P + group * N + cols, mask=mask)
    tl.store(P + group * N + cols, total, mask=mask)
    tl.atomic_xchg(Lock + group, 0)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    groups = 3
    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
    p = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, locks, x.stride(0), n, GROUPS=groups, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, groups - 1, n, ROWS=8, COLS=16)
    return y


# case: all_columns_of_fewer
# expect: not applied, partials-do-not-match
"""The second kernel leaves out columns."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    half = n // 2
    final[(triton.cdiv(half, 16),)](p, y, m, half, ROWS=8, COLS=16)
    return y


# case: grid_of_the_tuner
# expect: not applied, partials-do-not-match
"""How many partial results there are depends on the tuner."""


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["N"])
@triton.jit
def partial(X, P, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0)
    tl.store(P + pid, tl.sum(x, axis=0))


@triton.jit
def final(P, Y, M, BLOCK: tl.constexpr):
    slots = tl.arange(0, BLOCK)
    x = tl.load(P + slots, mask=slots < M, other=0)
    tl.store(Y, tl.sum(x, axis=0))


# tritonopt: x: i32[n]
def launch(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    tiles = triton.cdiv(n, 16)
    p = torch.empty(tiles, dtype=torch.int32, device=x.device)
    y = torch.empty(1, dtype=torch.int32, device=x.device)
    partial[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, p, n)
    final[(1,)](p, y, tiles, BLOCK=triton.next_power_of_2(tiles))
    return y


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
# expect: not applied, partials-do-not-match
"""Rows lie so that one overlaps the next."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


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
# expect: not applied, partials-do-not-match
"""The second kernel leaves out the last row."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m - 1, n, ROWS=8, COLS=16)
    return y


# case: stored_under_a_condition
# expect: not applied, partials-do-not-match
"""Not every row has a partial result."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    if row > 0:
        tl.store(P + row * N + cols, x * x, mask=mask)
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: two_programs_to_a_row
# expect: not applied, partials-do-not-match
"""Two programs of the first kernel store the same."""
# shared: partial
# shared: final


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m, 2)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y
