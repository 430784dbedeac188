# expect: silent
"""Only what 16 divides is not told, and lanes are that far apart."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["stride"])
def gather(X, Y, stride, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes * stride)
    tl.store(Y + tl.program_id(0) * BLOCK + lanes, x)
