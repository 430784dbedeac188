# expect: silent
"""The length is assumed to be larger than all the programs together."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    tl.assume(N >= 100000)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    kernel[(4,)](x, y, n, BLOCK=128)
    return y
