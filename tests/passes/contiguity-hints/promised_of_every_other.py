# expect: analysis hint-can-be-false
"""Neighboring lanes are 2 apart, whatever the numbers."""

import torch
import triton
import triton.language as tl


@triton.jit
def even_kernel(X, Y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    even = tl.max_contiguous(lanes * 2, BLOCK)
    tl.store(Y + lanes, tl.load(X + even))
