import torch
import triton
import triton.language as tl


# case: grouped_already
# like: two_axes
# expect: silent
"""The kernel has an order of its own."""
#     pid_n = tl.program_id(1)
#+    pid_m, pid_n = tl.swizzle2d(pid_m, pid_n, tl.cdiv(M, BM), tl.cdiv(N, BN), 4)


# case: no_product
# expect: silent
"""Rows that are only copied have no tiles in common."""


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(X + rows[:, None] * N + cols[None, :], mask=mask)
    tl.store(Y + rows[:, None] * N + cols[None, :], x, mask=mask)
