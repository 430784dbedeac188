# expect: analysis compiler-is-not-told
"""Both strides of a tile: neither the 1 nor the 16 is told."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_tile(X, Y, stride_m: int, stride_n: int, BLOCK: tl.constexpr):
    rows, cols = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * stride_m + cols * stride_n)
    tl.store(Y + rows * BLOCK + cols, x)
