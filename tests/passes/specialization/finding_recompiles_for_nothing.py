import torch
import triton
import triton.language as tl


# case: seed
# expect: finding, recompiles-for-nothing
"""Each seed that 16 divides would do as well with the code for the others."""


@triton.jit
def dropout(X, Y, p, seed, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    keep = tl.rand(seed, offsets) > p
    tl.store(Y + offsets, tl.where(keep, x / (1 - p), 0.0), mask=offsets < N)
