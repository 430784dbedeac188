# verify: always
"""The moves are apart, with a load between: no tile is shared."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, M, N, K, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    offs_m = pid_m * BM + tl.arange(0, BM).to(tl.int64)
    offs_k = tl.arange(0, BK).to(tl.int64)
    offs_k_2 = tl.arange(0, BK).to(tl.int64)
    offs_n = pid_n * BN + tl.arange(0, BN).to(tl.int64)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(
            A + offs_m[:, None] * sam + offs_k[None, :] * sak,
            mask=(offs_m[:, None] < M) & (offs_k[None, :] < K),
            other=0.0,
        )
        offs_k += BK
        b = tl.load(
            B + offs_k_2[:, None] * sbk + offs_n[None, :] * sbn,
            mask=(offs_k_2[:, None] < K) & (offs_n[None, :] < N),
            other=0.0,
        )
        offs_k_2 += BK
        acc += tl.dot(a, b)
    c_block = C + offs_m[:, None] * N + offs_n[None, :]
    tl.store(
        c_block, acc.to(c_block.dtype.element_ty), mask=(offs_m[:, None] < M) & (offs_n[None, :] < N)
    )


def run(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](
        a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), BM=16, BN=16, BK=16
    )
    return c
