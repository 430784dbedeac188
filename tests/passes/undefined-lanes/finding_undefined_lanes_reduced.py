import torch
import triton
import triton.language as tl


# case: longest_length
# expect: finding, undefined-lanes-reduced
"""Lengths are not negative, so that a 0 is not the longest of them."""


@triton.jit
def kernel(Lengths, Y, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    lengths = tl.load(Lengths + rows, mask=rows < N).to(tl.int32)
    tl.store(Y, tl.max(lengths, axis=0))
