# expect: unchanged
"""A narrow hint that is true of a wrap: all that can be said."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(A, Y, M, K, BLOCK_M: tl.constexpr):
    pid_m = tl.program_id(0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, 8), 8)
    tl.store(Y + rm, tl.load(A + ram), mask=rm < M)


def rows(a: torch.Tensor):
    m, k = a.shape
    assert m % 8 == 0
    y = torch.empty(m, dtype=a.dtype, device=a.device)
    rows_kernel[(triton.cdiv(m, 64),)](a, y, m, k, BLOCK_M=64)
    return y
