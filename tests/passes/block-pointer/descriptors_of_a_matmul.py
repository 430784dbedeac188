# verify: always
# options: write=descriptors
"""Both move along K by as much: one offset for both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    a_block = tl.make_block_ptr(A, (M, K), (K, 1), (pid_m * BM, 0), (BM, BK), (1, 0))
    b_block = tl.make_block_ptr(B, (K, N), (N, 1), (0, pid_n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, BK))
        b_block = tl.advance(b_block, (BK, 0))
    c_block = tl.make_block_ptr(C, (M, N), (N, 1), (pid_m * BM, pid_n * BN), (BM, BN), (1, 0))
    tl.store(c_block, acc.to(c_block.dtype.element_ty), boundary_check=(0, 1))


def run(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    n = b.shape[1]
    assert k % 16 == 0 and n % 16 == 0
    assert a.is_contiguous() and b.is_contiguous()
    assert a.data_ptr() % 16 == 0 and b.data_ptr() % 16 == 0
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c
