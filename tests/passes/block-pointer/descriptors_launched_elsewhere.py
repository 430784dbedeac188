# expect: not applied, unseen-launches
# options: write=descriptors
"""Nobody sees whether the launches set an allocator."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    at_m, at_n = tl.program_id(0) * BM, tl.program_id(1) * BN
    x_block = tl.make_block_ptr(X, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, N), (N, 1), (at_m, at_n), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="nan")
    tl.store(y_block, x * 2, boundary_check=(0, 1))

