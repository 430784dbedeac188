# verify: always
# options: turns=1
"""Sums of columns, as of the gradient of a weight: a tile of two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(DY, DW, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dw = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        dw += tl.load(DY + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
    tl.store(DW + cols, tl.sum(dw, axis=0), mask=cols < N)


def weight_gradient(dy: torch.Tensor):
    dy = dy.float()
    m, n = dy.shape
    dw = torch.empty(n, dtype=torch.float32, device=dy.device)
    kernel[(triton.cdiv(n, 32),)](dy, dw, dy.stride(0), m, n, ROWS=4, BLOCK=32)
    return dw
