# options: turns=1
"""A program has several rows already: each is divided."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        x = tl.load(X + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + rows, tl.sum(acc, axis=1), mask=rows < M)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(m, 4),)](x, y, x.stride(0), m, n, ROWS=4, BLOCK=32)
    return y
