# options: programs=1,apart=false
"""Told to write no kernel apart, one does both; a long row then has a tile of two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr, num_rows, ROWS: tl.constexpr = 1):
    # Each program does its own part.
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < num_rows) & (cols < N)
    x = tl.load(X + rows * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    tl.store(
        Y + rows * stride + cols, e / tl.sum(e, axis=1, keep_dims=True), mask=mask
    )  # of one row


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A power of two, with which programs enough remain.
    rows_per_program = (
        max(1, min(2048 // max(block, 1), triton.next_power_of_2(m + 1) // 2))
        if block <= 512
        else 1
    )
    kernel[(triton.cdiv(m, rows_per_program),)](
        x, y, x.stride(0), n, BLOCK=block, num_rows=m, ROWS=rows_per_program
    )
    return y
