"""A mask that is made in two steps tests the row in one of them, and needs no other test."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = cols < N
    mask &= rows < M
    x = tl.load(X + rows * N + cols, mask=mask, other=0.0)
    tl.store(Y + rows * N + cols, x - tl.sum(x, axis=1, keep_dims=True) / N, mask=mask)


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    # A program takes about 512 elements, of several rows where these are short.
    rows = max(512 // block, 1)
    kernel[(triton.cdiv(m, rows),)](x, y, m, n, BLOCK=block, ROWS=rows)
    return y
