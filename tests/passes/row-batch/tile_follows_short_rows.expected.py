# verify: always
# options: programs=1
"""Each launch makes the tile long; a short row gets one that fits, and shares a program."""

import torch
import triton
import triton.language as tl


@triton.jit
def sums_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(acc, axis=0))


# sums_kernel for short rows, of which a program has several.
@triton.jit
def sums_kernel_rows(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    row_mask = rows < num_rows
    X += rows * stride
    acc = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        acc += tl.load(X + cols, mask=row_mask & (cols < N), other=0.0)
    tl.store(Y + rows, tl.sum(acc, axis=1, keep_dims=True), mask=row_mask)


# tritonopt: x: f32[m, n]
def sums(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    if n <= 512:
        block = triton.next_power_of_2(max(n, 16))
        # A power of two, with which programs enough remain.
        rows_per_program = max(1, min(2048 // block, triton.next_power_of_2(m + 1) // 2))
        sums_kernel_rows[(triton.cdiv(m, rows_per_program),)](
            x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
        )
    else:
        sums_kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y
