"""Helpers in a file of their own, for the cases that import what they call."""

import triton
import triton.language as tl


@triton.jit
def load_row(ptr, cols, n):
    return tl.load(ptr + cols, mask=cols < n, other=0.0)


@triton.jit
def block_offsets(start, BLOCK: tl.constexpr):
    return start + tl.arange(0, BLOCK)
