# verify: no, with tensors of 1 GB alone the cast is run
# options: constexpr=true
"""The cast of an operand, where a tensor is large."""

import torch
import triton
import triton.language as tl


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
