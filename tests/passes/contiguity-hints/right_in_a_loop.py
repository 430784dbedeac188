# expect: unchanged
"""True by the arithmetic of the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    for start in range(0, N, BLOCK):
        start = tl.multiple_of(start, BLOCK)
        offs = tl.max_contiguous(tl.multiple_of(start + tl.arange(0, BLOCK), BLOCK), BLOCK)
        tl.store(Y + offs, tl.load(X + offs, mask=offs < N), mask=offs < N)
