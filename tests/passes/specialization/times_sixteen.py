# expect: silent
"""16 divides the product."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["first"])
def fill(Y, first, BLOCK: tl.constexpr):
    tl.store(Y + first * 16 + tl.arange(0, BLOCK), 0.0)
