# verify: always
"""The helper goes along the tensors: as in attention, where both parts of the loop are one."""

import torch
import triton
import triton.language as tl


@triton.jit
def inner(acc, q, K, d, n, sk, BK: tl.constexpr, V, sv, lo, hi, BN: tl.constexpr):
    offs_d = tl.arange(0, BK)
    offs_n = tl.arange(0, BN).to(tl.int64)
    # where this part begins
    offs_n += lo
    for _ in range(lo, hi, BN):
        k = tl.load(
            K + offs_d[:, None] + offs_n[None, :] * sk,
            mask=(offs_d[:, None] < d) & (offs_n[None, :] >= 0) & (offs_n[None, :] < n),
            other=0.0,
        )
        v = tl.load(
            V + offs_n[:, None] * sv + offs_d[None, :],
            mask=(offs_n[:, None] >= 0) & (offs_n[:, None] < n) & (offs_d[None, :] < d),
            other=0.0,
        )
        acc += tl.dot(tl.dot(q, k).to(v.dtype), v)
        offs_n += BN
    return acc


@triton.jit
def kernel(Q, K, V, O, m, n, d, sq, sk, sv, so, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid, head = tl.program_id(0), tl.program_id(1)
    offs_m = pid * BM + tl.arange(0, BM).to(tl.int64)
    offs_d = tl.arange(0, BK)
    q_block = Q + head * m * sq + offs_m[:, None] * sq + offs_d[None, :]
    q = tl.load(q_block, mask=(offs_m[:, None] < m) & (offs_d[None, :] < d), other=0.0)
    acc = tl.zeros([BM, BK], dtype=tl.float32)
    half = tl.cdiv(n, BN) // 2 * BN
    acc = inner(acc, q, K + head * n * sk, d, n, sk, BK, V + head * n * sv, sv, 0, half, BN)
    acc = inner(acc, q, K + head * n * sk, d, n, sk, BK, V + head * n * sv, sv, half, n, BN)
    o_block = O + head * m * so + offs_m[:, None] * so + offs_d[None, :]
    tl.store(
        o_block, acc.to(o_block.dtype.element_ty), mask=(offs_m[:, None] < m) & (offs_d[None, :] < d)
    )


def run(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    """
    q: f32[h, m, d]
    k: f32[h, n, d]
    v: f32[h, n, d]
    d <= 32
    """
    assert q.is_contiguous() and k.is_contiguous() and v.is_contiguous()
    h, m, d = q.shape
    n = k.shape[1]
    o = torch.empty_like(q)
    grid = (triton.cdiv(m, 16), h)
    kernel[grid](
        q, k, v, o, m, n, d, q.stride(1), k.stride(1), v.stride(1), o.stride(1), BM=16, BN=16, BK=32
    )
    return o
