# expect: silent
"""The position at which the rest begins is another one at each call, and none that 16 divides."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["first", "last"])
def clear(X, first, last, BLOCK: tl.constexpr):
    for start in range(first, last, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < last).to(tl.float32)
        tl.store(X + offsets, x * 0.5, mask=offsets < last)
