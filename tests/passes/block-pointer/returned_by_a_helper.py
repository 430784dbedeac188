# expect: not applied, block-pointer-is-lost
"""Whoever calls loads through it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, n, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))

