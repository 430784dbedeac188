# expect: silent
"""A tensor with two strides has two axes: there are not so many rows of it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(Y + rows, mask=rows < M, other=0.0)
    tl.store(Y + rows, y * stride, mask=rows < M)


def launch(x, y):
    kernel[(triton.cdiv(x.shape[0], 128),)](x, y, x.stride(1), x.shape[0], BLOCK=128)
