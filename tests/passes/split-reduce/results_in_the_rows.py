# expect: missed tiles-race
"""The sums are stored into the tensor that the rows are of."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(src, dst, n, shift, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(src + row * n + cols, mask=cols < n, other=0.0)
    tl.store(dst + row, tl.sum(total, axis=0))


def run(x):
    m, n = x.shape
    out = x.view(-1)
    sum_kernel[(m,)](x, out, n, 0, BLOCK=1024)
    return out
