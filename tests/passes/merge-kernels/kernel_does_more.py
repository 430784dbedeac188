import torch
import triton
import triton.language as tl


# case: added_in_double
# expect: not applied, kernel-does-more
"""The second kernel adds up in double precision."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float64)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: adds_a_bias
# expect: not applied, kernel-does-more
"""The second kernel adds something else as well."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


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
# expect: not applied, kernel-does-more
"""The second kernel begins with 1."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.full([ROWS, COLS], 1.0, dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: mean_of_the_rows
# expect: not applied, kernel-does-more
"""The second kernel divides by the number of rows."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0) / M, mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: root_of_each
# expect: not applied, kernel-does-more
"""The second kernel takes the root of each partial result."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.sqrt(tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0))
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: root_of_the_sum
# expect: not applied, kernel-does-more
"""The second kernel takes the root of the sum, which is no sum of roots."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sqrt(tl.sum(acc, axis=0)), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y
