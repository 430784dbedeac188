# expect: silent
"""All programs together store one tile: there is nothing to gain."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["batch", "window"])
def lengths_of(LENGTHS, GATHERED, batch, window, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    length = tl.load(LENGTHS + tl.minimum(rows, batch - 1))
    tl.store(GATHERED + rows, tl.minimum(length, window), mask=rows < batch)
