# expect: missed not-a-descriptor
# options: write=descriptors
"""One block is read with zeros around it, and with NaNs."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    x += tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(y_block, x * 2, boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    assert n % 16 == 0 and x.is_contiguous()
    assert x.data_ptr() % 16 == 0
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, BM=16, BN=16)
    return y
