# expect: silent
"""Its author knows."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["seed"])
def dropout(X, Y, p, seed, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    keep = tl.rand(seed, offsets) > p
    tl.store(Y + offsets, tl.where(keep, x / (1 - p), 0.0), mask=offsets < N)
