# expect: analysis zero-changes-the-result
"""Lanes that are not there deviate by the whole mean, and no other= can help."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Mean, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    deviation = x - tl.load(Mean + row)
    tl.store(Y + row, tl.sum(deviation * deviation, axis=0) / N)
