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


# case: heads_of_attention
# expect: not applied, tiles-are-not-shared
"""Programs of one head share its keys; another order mixes heads, which share nothing."""


@triton.jit
def attend(Q, K, Out, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0)
    head = tl.program_id(1)
    rows = start * BM + tl.arange(0, BM)
    dims = tl.arange(0, D)
    q = tl.load(Q + head * N * D + rows[:, None] * D + dims[None, :], mask=rows[:, None] < N)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    keys = K + head * N * D + tl.arange(0, BN)[:, None] * D + dims[None, :]
    for first in range(0, N, BN):
        k = tl.load(keys, mask=(first + tl.arange(0, BN))[:, None] < N, other=0.0)
        acc += tl.dot(tl.dot(q, tl.trans(k)), k)
        keys += BN * D
    tl.store(Out + head * N * D + rows[:, None] * D + dims[None, :], acc, mask=rows[:, None] < N)


def attention(q: torch.Tensor, k: torch.Tensor):
    heads, n, _ = q.shape
    out = torch.empty_like(q)
    attend[(triton.cdiv(n, 16), heads)](q, k, out, n, BM=16, BN=16, D=16)
    return out


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
