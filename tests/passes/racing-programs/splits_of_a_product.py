# expect: analysis reads-what-others-write
"""Programs that share the sum of a product store one after the other."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    pk = tl.program_id(2)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(pk * BK, K, BK * SPLIT):
        kk = i + tl.arange(0, BK)
        a = tl.load(A + m[:, None] * K + kk[None, :], mask=(m[:, None] < M) & (kk[None, :] < K), other=0.0)
        b = tl.load(B + kk[:, None] * N + n[None, :], mask=(kk[:, None] < K) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
    c = C + m[:, None] * N + n[None, :]
    msk = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c, tl.load(c, mask=msk) + acc, mask=msk)


def mm(a, b):
    m, kk = a.shape
    kk, n = b.shape
    c = torch.zeros((m, n), device=a.device)
    k[(triton.cdiv(m, 32), triton.cdiv(n, 32), 4)](a, b, c, m, n, kk, BM=32, BN=32, BK=32, SPLIT=4)
    return c
