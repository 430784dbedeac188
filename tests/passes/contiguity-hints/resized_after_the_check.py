# expect: missed hint-can-be-false
"""The tensor has another size than the one that was checked."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x):
    y = torch.empty_like(x)
    assert x.shape[0] % 128 == 0
    x.resize_(100)
    kernel[(4,)](x, y, x.shape[0], BLOCK=128)
    return y
