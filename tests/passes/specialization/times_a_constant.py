# expect: silent
"""A multiple of the tile, whatever the number is."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["first"])
def fill(Y, first, BLOCK: tl.constexpr):
    tl.store(Y + first * BLOCK + tl.arange(0, BLOCK), 0.0)
