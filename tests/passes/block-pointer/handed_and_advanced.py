# verify: always
"""The helper goes along the tensors: as in attention, where both parts of the loop are one."""

import torch
import triton
import triton.language as tl


@triton.jit
def inner(acc, q, K_block_ptr, V_block_ptr, lo, hi, BN: tl.constexpr):
    # where this part begins
    K_block_ptr = tl.advance(K_block_ptr, (0, lo))
    V_block_ptr = tl.advance(V_block_ptr, (lo, 0))
    for _ in range(lo, hi, BN):
        k = tl.load(K_block_ptr, boundary_check=(0, 1), padding_option="zero")
        v = tl.load(V_block_ptr, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(tl.dot(q, k).to(v.dtype), v)
        K_block_ptr = tl.advance(K_block_ptr, (0, BN))
        V_block_ptr = tl.advance(V_block_ptr, (BN, 0))
    return acc


@triton.jit
def kernel(Q, K, V, O, m, n, d, sq, sk, sv, so, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid, head = tl.program_id(0), tl.program_id(1)
    q_block = tl.make_block_ptr(Q + head * m * sq, (m, d), (sq, 1), (pid * BM, 0), (BM, BK), (1, 0))
    K_block_ptr = tl.make_block_ptr(
        base=K + head * n * sk,
        shape=(d, n),
        strides=(1, sk),
        offsets=(0, 0),
        block_shape=(BK, BN),
        order=(0, 1),
    )
    V_block_ptr = tl.make_block_ptr(
        base=V + head * n * sv,
        shape=(n, d),
        strides=(sv, 1),
        offsets=(0, 0),
        block_shape=(BN, BK),
        order=(1, 0),
    )
    q = tl.load(q_block, boundary_check=(0, 1), padding_option="zero")
    acc = tl.zeros([BM, BK], dtype=tl.float32)
    half = tl.cdiv(n, BN) // 2 * BN
    acc = inner(acc, q, K_block_ptr, V_block_ptr, 0, half, BN)
    acc = inner(acc, q, K_block_ptr, V_block_ptr, half, n, BN)
    o_block = tl.make_block_ptr(O + head * m * so, (m, d), (so, 1), (pid * BM, 0), (BM, BK), (1, 0))
    tl.store(o_block, acc.to(o_block.dtype.element_ty), boundary_check=(0, 1))


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
