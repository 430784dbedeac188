# expect: missed not-shown
"""Other functions may bind the global name after the check."""

import torch
import triton
import triton.language as tl
from setup import prepare


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    global size
    size = n
    assert size % 128 == 0
    prepare()
    kernel[(4,)](x, y, size, BLOCK=128)
    return y
