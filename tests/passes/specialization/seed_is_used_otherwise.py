# expect: silent
"""What is added to the seed may be an address."""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout(X, Y, p, seed, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    offsets += seed
    keep = tl.rand(seed, offsets) > p
    tl.store(Y + offsets, tl.where(keep, x / (1 - p), 0.0), mask=offsets < N)
