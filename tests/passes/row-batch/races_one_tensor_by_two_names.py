# expect: missed tiles-race
"""A row is made of another one of the same tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(src, dst, n, shift, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(src + (row + shift) * n + cols, mask=cols < n, other=0.0)
    tl.store(dst + row * n + cols, x / tl.sum(x, axis=0), mask=cols < n)


def run(x, shift):
    m, n = x.shape
    out = x
    rows_kernel[(m,)](x, out, n, shift, BLOCK=triton.next_power_of_2(n))
    return out
