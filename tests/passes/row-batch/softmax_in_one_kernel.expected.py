"""Told to write no kernel apart, one does both; a long row then has a tile of two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, M, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    # Each program does its own part.
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < M
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(
        X + rows[:, None] * stride + cols[None, :],
        mask=row_mask[:, None] & mask[None, :],
        other=-float("inf"),
    )
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(
        Y + rows[:, None] * stride + cols[None, :],
        e / tl.sum(e, axis=1)[:, None],
        mask=row_mask[:, None] & mask[None, :],
    )  # of one row


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, x.stride(0), n, m, BLOCK=block, ROWS=rows)
    return y
