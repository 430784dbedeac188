import torch
import triton
import triton.language as tl


# case: tile_of_the_next_loop
# expect: finding, pointer-is-ahead
"""Columns go in steps of 32, and the rows of a program end at a multiple of 16."""


@triton.jit
def kernel(X, Y, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    end = (tl.program_id(0) + 1) * BM
    at = Y + rows[:, None] * N + cols[None, :]
    for start in range(0, end, BN):
        ok = (rows[:, None] < N) & (start + cols[None, :] < N)
        x = tl.load(X + rows[:, None] * N + start + cols[None, :], mask=ok)
        tl.store(at, tl.where(rows[:, None] >= start + cols[None, :], x, 0.0), mask=ok)
        at += BN
    for start in range(end, N, BN):
        ok = (rows[:, None] < N) & (start + cols[None, :] < N)
        tl.store(at, tl.zeros([BM, BN], tl.float32), mask=ok)
        at += BN


def launch(x):
    n = x.shape[0]
    y = torch.empty((n, n), device=x.device)
    kernel[(triton.cdiv(n, 16),)](x, y, n, BM=16, BN=32)
    return y
