import torch
import triton
import triton.language as tl


def run(a: torch.Tensor, b: torch.Tensor):
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c


# case: adds_to_the_result
# expect: not applied, data-may-change
"""A product is added to what other programs may store."""


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
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
    old = tl.load(C + rows[:, None] * N + cols[None, :], mask=c_mask, other=0.0)
    tl.store(C + cols[:, None] * M + rows[None, :], acc + old, mask=c_mask)
# shared: run


# case: ends_within_a_row
# expect: not applied, grid-ends-within-a-row
"""A grid of other tiles may end within a row of programs."""


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    pid_m = pid // columns
    pid_n = pid % columns
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
    grid = (triton.cdiv(m * n, 256),)
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c


# case: adds_atomically
# expect: not applied, memory-order
"""Sums of floats depend on which program comes first."""


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
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
    tl.atomic_add(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)
# shared: run
