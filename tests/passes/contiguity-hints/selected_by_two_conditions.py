# expect: unchanged
# assume: N % BLOCK == 0
"""More than the end decides."""

import torch
import triton
import triton.language as tl


@triton.jit
def halo_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where((offs < N) & (offs > 0), offs, 0)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)
