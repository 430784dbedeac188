# expect: analysis compiler-is-not-told
"""The mask of the last tile."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["N"])
def row_sum(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(total, axis=0))
