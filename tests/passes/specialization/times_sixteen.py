# expect: silent
"""16 divides the product."""

import torch
import triton
import triton.language as tl


@triton.jit
def fill(Y, first: int, BLOCK: tl.constexpr):
    tl.store(Y + first * 16 + tl.arange(0, BLOCK), 0.0)
