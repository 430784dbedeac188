# expect: analysis compiler-is-not-told
"""The helper is compiled with what its caller knows, which is not enough."""

import torch
import triton
import triton.language as tl


@triton.jit
def tile_of(X, stride, cols, N):
    return tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(Y + cols, tile_of(X, stride, cols, N) * 2)
