import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=8)
    return y


# case: extents_computed
# options: two_axes=true
"""A tile of two axes whose extents the kernel computes."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    HALF: tl.constexpr = BLOCK // 2
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, 2)[:, None] * HALF + tl.arange(0, HALF)[None, :]
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        acc += tl.sum(x * 2.0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y


# case: rows_of_a_tile
# options: two_axes=true
"""One sum for each row of a tile."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc += tl.sum(tl.where(mask, x - 1.0, 0.0), axis=1)
    tl.store(Y + rows, acc, mask=rows < M)
# shared: run


# case: rows_with_axes
# options: two_axes=true
"""Sums that keep an axis, or get a new one."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, 1], dtype=tl.float32)
    m = tl.full([ROWS, 1], -1e30, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc += tl.sum(x, axis=1)[:, None]
        m = tl.maximum(m, tl.max(x, axis=1, keep_dims=True))
    tl.store(Y + rows[:, None], acc + m, mask=rows[:, None] < M)
# shared: run


# case: summed_twice
# options: two_axes=true
"""A sum of sums takes the whole tile."""


@triton.jit
def kernel(X, Y, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    rows = row * ROWS + tl.arange(0, ROWS)
    acc = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        acc += tl.sum(tl.sum(x, axis=1), axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(triton.cdiv(m, 4), dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, m, n, ROWS=4, BLOCK=8)
    return y


# case: long_tile_of_many_warps
"""A thread keeps 16 elements, or fewer where the tile is shorter."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x)
    tl.store(Y + row, total)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=min(16384, triton.next_power_of_2(n)), num_warps=32)
    return y


# case: tuned_long_tile
# verify: no, a tuner needs a GPU
"""A tuner may choose as many warps as keep few elements for each thread."""


@triton.autotune([triton.Config({"BLOCK": 1024}), triton.Config({"BLOCK": 4096}, num_warps=16)], ["N"])
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x)
    tl.store(Y + row, total)


def run(x):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n)
    return y
