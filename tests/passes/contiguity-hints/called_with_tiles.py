# expect: missed called-from-a-kernel
# assume: N % BLOCK == 0
"""A helper: its N may be a tile, and then each lane wraps at a length of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def read_ring(X, pid, N, BLOCK: tl.constexpr):
    offs = (pid * BLOCK + tl.arange(0, BLOCK)) % N
    return tl.load(X + offs)


@triton.jit
def ring_kernel(X, Lengths, Y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(Y + lanes, read_ring(X, 0, tl.load(Lengths + lanes), BLOCK))
