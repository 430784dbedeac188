# expect: missed block-pointer-is-lost
"""The block pointer is a parameter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(block):
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def outer(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    offs = begin + tl.arange(0, B)
    tl.store(Y + offs, kernel(X + offs), mask=offs < n)
