# options: programs=1
"""The tile's length has a name, and the row's is an attribute; two launches, each with its rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def norms_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = tl.zeros([BLOCK], dtype=tl.float32)
    squares = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.abs(x))
        squares += tl.sum(x * x)
    scale = tl.max(largest, axis=0)
    tl.store(Y + row, squares)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(X + row * N + cols, x / (scale + 1.0), mask=cols < N)


# norms_kernel for short rows, of which a program has several.
@triton.jit
def norms_kernel_rows(X, Y, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    largest = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    squares = tl.zeros([ROWS, 1], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.abs(x))
        squares += tl.sum(x * x, axis=1, keep_dims=True)
    scale = tl.max(largest, axis=1, keep_dims=True)
    tl.store(Y + rows, squares, mask=row_mask)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        x = tl.load(X + rows * N + cols, mask=row_mask & (cols < N), other=0.0).to(tl.float32)
        tl.store(X + rows * N + cols, x / (scale + 1.0), mask=row_mask & (cols < N))


TILE = 1024


# tritonopt: x: f32[m, n]
def norms(x):
    x = x.contiguous()
    y = torch.empty(x.shape[0], device=x.device)
    # The largest may be 0.
    if x.shape[1] <= 512:
        block = triton.next_power_of_2(max(x.shape[1], 16))
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(2048 // block, triton.next_power_of_2(x.shape[0] + 1) // 2))
        norms_kernel_rows[(triton.cdiv(x.shape[0], rows_per_program),)](
            x, y, x.shape[1], BLOCK=block, num_rows=x.shape[0], ROWS=rows_per_program
        )
    else:
        norms_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=TILE)
    return x, y


# tritonopt: x: f32[m, n]
def norms_of_halves(x):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(2 * m, device=x.device)
    if n % 2 == 0:
        num_rows = 2 * m
        if n // 2 <= 512:
            block = triton.next_power_of_2(max(n // 2, 16))
            # A power of two, with which programs enough remain.
            rows_per_program = max(1, min(2048 // block, triton.next_power_of_2(num_rows + 1) // 2))
            norms_kernel_rows[(triton.cdiv(num_rows, rows_per_program),)](
                x, y, n // 2, block, num_rows=num_rows, ROWS=rows_per_program
            )
        else:
            norms_kernel[(num_rows,)](x, y, n // 2, 2048)
    return x, y
