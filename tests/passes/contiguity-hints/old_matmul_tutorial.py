# expect: analysis hint-can-be-false
"""The hint of the old tutorials is false for M = 100 and a block of 64."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(A, Y, M, K, BLOCK_M: tl.constexpr):
    pid_m = tl.program_id(0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    tl.store(Y + rm, tl.load(A + ram), mask=rm < M)
