# expect: silent
"""A check that is not understood may be the one that is needed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    assert all(size % 128 == 0 for size in (n, y.numel()))
    kernel[(4,)](x, y, n, BLOCK=128)
    return y
