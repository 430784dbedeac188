import torch
import triton
import triton.language as tl


# case: grouped_already
# expect: silent
"""The kernel has an order of its own."""


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    pid_m, pid_n = tl.swizzle2d(pid_m, pid_n, tl.cdiv(M, BM), tl.cdiv(N, BN), 4)
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        inner = start + tl.arange(0, BK)
        a_mask = (rows[:, None] < M) & (inner[None, :] < K)
        b_mask = (inner[:, None] < K) & (cols[None, :] < N)
        a = tl.load(A + rows[:, None] * K + inner[None, :], mask=a_mask, other=0.0)
        b = tl.load(B + inner[:, None] * N + cols[None, :], mask=b_mask, other=0.0)
        acc += tl.dot(a, b)
    c_mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)


def run(a: torch.Tensor, b: torch.Tensor):
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c


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
