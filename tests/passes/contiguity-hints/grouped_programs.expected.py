# verify: always
"""Tutorial matmul: the tile's number comes from a grouped ordering, and is some integer that is not
negative. Columns of B are contiguous, rows of A are not."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr
):
    pid = tl.program_id(0)
    num_pid_m = tl.cdiv(M, BM)
    num_pid_n = tl.cdiv(N, BN)
    num_pid_in_group = GROUP * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP
    group_size = min(num_pid_m - first_pid_m, GROUP)
    pid_m = first_pid_m + (pid % num_pid_in_group) % group_size
    pid_n = (pid % num_pid_in_group) // group_size
    rm = pid_m * BM + tl.arange(0, BM)
    rbn = (pid_n * BN + tl.arange(0, BN)) % N
    # True if N is a multiple of BN.
    rbn = tl.max_contiguous(tl.multiple_of(rbn, BN), BN)
    rk = tl.arange(0, BK)
    a_ptrs = A + rm[:, None] * K + rk[None, :]
    b_ptrs = B + rk[:, None] * N + rbn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        inside = rk < K - k * BK
        a = tl.load(a_ptrs, mask=inside[None, :] & (rm[:, None] < M), other=0.0)
        b = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK * N
    rn = pid_n * BN + tl.arange(0, BN)
    tl.store(C + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


# tritonopt: a: f32[m, k], b: f32[k, n]
def matmul(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    n = b.shape[1]
    if n % 16:
        raise ValueError("columns come in blocks of 16")
    a, b = a.contiguous(), b.contiguous()
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
    matmul_kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16, GROUP=4)
    return c
