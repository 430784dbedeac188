# expect: silent
"""The list of a helper says nothing to the compiler."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def tile_of(X, stride, cols, N):
    return tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)


@triton.jit
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(Y + cols, tile_of(X, stride, cols, N) * 2)
