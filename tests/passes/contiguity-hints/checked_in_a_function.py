# expect: silent
"""A function of the file asks for whole tiles, in a way that is not followed."""

import torch
import triton
import triton.language as tl


def check(m):
    text = "{} rows are no whole number of tiles"
    assert m % 64 == 0, text.format(m)


@triton.jit
def rows_kernel(A, Y, M, K, BLOCK_M: tl.constexpr):
    pid_m = tl.program_id(0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    tl.store(Y + rm, tl.load(A + ram), mask=rm < M)


def rows(a: torch.Tensor):
    m, k = a.shape
    check(m)
    y = torch.empty(m, dtype=a.dtype, device=a.device)
    rows_kernel[(triton.cdiv(m, 64),)](a, y, m, k, BLOCK_M=64)
    return y
