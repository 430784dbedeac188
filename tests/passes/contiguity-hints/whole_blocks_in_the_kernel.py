# expect: missed compiler-knows
"""The length is computed as a multiple of the block, and the compiler computes with it."""

import torch
import triton
import triton.language as tl


@triton.jit
def ring_kernel(X, Y, blocks, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    around = offs % (blocks * BLOCK)
    tl.store(Y + offs, tl.load(X + around))
