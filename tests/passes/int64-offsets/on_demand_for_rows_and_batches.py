# options: constexpr=true
# verify: no, with tensors of 1 GB alone the cast is run
"""Rows of a batch and batches, which are found one after the other: one constant is enough."""

import torch
import triton
import triton.language as tl


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
