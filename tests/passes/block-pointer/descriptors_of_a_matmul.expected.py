# verify: always
# options: write=descriptors
"""Both move along K by as much: one offset for both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    offs_k = 0
    a_block = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    b_block = tl.make_tensor_descriptor(B, [K, N], [N, 1], [BK, BN])
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = a_block.load([pid_m * BM, offs_k])
        b = b_block.load([offs_k, pid_n * BN])
        acc += tl.dot(a, b)
        offs_k += BK
    c_block = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
    c_block.store([pid_m * BM, pid_n * BN], acc.to(C.dtype.element_ty))


def run(a: torch.Tensor, b: torch.Tensor):
    m, k = a.shape
    n = b.shape[1]
    assert k % 16 == 0 and n % 16 == 0
    assert a.is_contiguous() and b.is_contiguous()
    assert a.data_ptr() % 16 == 0 and b.data_ptr() % 16 == 0
    c = torch.empty((m, n), dtype=torch.float32)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
    # The kernel creates its descriptors in scratch memory.
    triton.set_allocator(
        lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=a.device)
    )
    kernel[grid](a, b, c, m, n, k, BM=16, BN=16, BK=16)
    return c
