# expect: silent
"""In matrices whose rows lie side by side it fits; with any strides it would not."""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled_matmul(
    A, B, C, S, M, N, K, sam, sak, sbn, sbk, scm, scn, ss, BM: tl.constexpr, BK: tl.constexpr
):
    offs_m = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    offs_n = (tl.program_id(1) * BM + tl.arange(0, BM)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = A + offs_m[:, None] * sam + offs_k[None, :] * sak
    b_ptrs = B + offs_n[:, None] * sbn + offs_k[None, :] * sbk
    acc = tl.zeros((BM, BM), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        mask = offs_k < K - k * BK
        a = tl.load(a_ptrs, mask=mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=mask[None, :], other=0.0)
        s = tl.load(S + offs_m * ss + k)
        acc += tl.dot(a, tl.trans(b)) * s[:, None]
        a_ptrs += BK * sak
        b_ptrs += BK * sbk
    tl.store(C + offs_m[:, None] * scm + offs_n[None, :] * scn, acc)


def product(a, b, s):
    m, k = a.shape
    n, _ = b.shape
    c = torch.empty(m, n, dtype=torch.float32)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    scaled_matmul[grid](
        a, b, c, s, m, n, k,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        s.stride(0), BM=64, BK=128,
    )
    return c
