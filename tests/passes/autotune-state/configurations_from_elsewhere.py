# expect: silent
"""Nobody sees how many configurations there are."""

import torch
import triton
import triton.language as tl

from elsewhere import configurations


@triton.autotune(configs=configurations(), key=["N"])
@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offs, mask=offs < N, other=0.0)
    tl.store(X + offs, x * 2, mask=offs < N)
