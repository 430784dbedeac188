import torch
import triton
import triton.language as tl


# case: on_demand
# verify: no, with tensors of 1 GB alone the cast is run
# options: constexpr=true
"""Small tensors keep offsets of 32 bits."""


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y


# case: on_demand_for_rows_and_batches
# options: constexpr=true
# verify: no, with tensors of 1 GB alone the cast is run
"""Rows of a batch and batches, which are found one after the other: one constant is enough."""


@triton.jit
def lower(X, Y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    batch = tl.program_id(2)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (rows < M) & (cols < N)
    base = batch * M * N
    offsets = base + rows * N + cols
    x = tl.load(X + offsets, mask=mask, other=0)
    tl.store(Y + offsets, tl.where(cols <= rows, x, 0.0), mask=mask)


def launch(x):
    m, n = x.shape[-2], x.shape[-1]
    batches = x.numel() // (m * n)
    y = torch.empty_like(x)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32), batches)
    lower[grid](x, y, m, n, BLOCK_M=32, BLOCK_N=32)
    return y


# case: on_demand_in_a_batch
# verify: no, with tensors of 1 GB alone the cast is run
# options: constexpr=true
"""Of two products one does not fit."""


@triton.jit
def kernel(X, Y, stride_b, stride_m, N, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    row = tl.program_id(1)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        offsets = batch * stride_b + row * stride_m + cols
        x = tl.load(X + offsets, mask=cols < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=cols < N)


def launch(x):
    b, m, n = x.shape
    y = torch.empty_like(x)
    kernel[(b, m)](x, y, x.stride(0), x.stride(1), n, BLOCK=1024)
    return y


# case: on_demand_in_a_product
# verify: no, with tensors of 1 GB alone the cast is run
# options: constexpr=true
"""The cast of an operand, where a tensor is large."""


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    offsets = rows[:, None] * stride + cols[None, :]
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + offsets, mask=mask, other=0.0)
    tl.store(Y + offsets, x * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 64))](x, y, x.stride(0), m, n, ROWS=16, BLOCK=64)
    return y
