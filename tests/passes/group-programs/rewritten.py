import torch
import triton
import triton.language as tl


def run(a: torch.Tensor, b: torch.Tensor):
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c


# case: batches
# like: one_axis
"""Along axis 1 there are batches, which are no rows of tiles."""
# def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
#+    A += tl.program_id(1) * M * K
#+    C += tl.program_id(1) * M * N
#-    (m, k), n = a.shape, b.shape[1]
#-    c = torch.empty((m, n), dtype=torch.float32)
#-    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
#+    (batches, m, k), n = a.shape, b.shape[1]
#+    c = torch.empty((batches, m, n), dtype=torch.float32)
#+    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16), batches)


# case: columns_first
# like: two_axes
# options: rows=16
"""The ids are bound in one statement, and axis 0 is that of the columns."""
#-    pid_m = tl.program_id(0)
#-    pid_n = tl.program_id(1)
#+    pid_n, pid_m = tl.program_id(0), tl.program_id(1)
#-    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
#+    grid = (triton.cdiv(n, 16), triton.cdiv(m, 16))


# case: grid_of_a_function
# like: one_axis
"""The grid is a function of the tiles."""
#-    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
#+    grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)


# case: one_axis
"""Rows and columns are made of one id."""


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
# shared: run


# case: one_axis_without_names
# options: rows=4
"""The id and the number of columns have no names."""


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0) // tl.cdiv(N, BN)
    pid_n = tl.program_id(0) % tl.cdiv(N, BN)
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
# shared: run


# case: two_axes
"""Programs are numbered along axis 0: the columns of the matrix of programs."""


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
    tl.store(C + rows[:, None] * N + cols[None, :], acc, mask=c_mask)


def run(a: torch.Tensor, b: torch.Tensor):
    a, b = a.contiguous(), b.contiguous()
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c
