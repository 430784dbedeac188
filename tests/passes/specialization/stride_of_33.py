# expect: silent
"""What is launched is nothing that 16 divides: told of it, the compiler makes the same code."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["stride"])
def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


def launch(x, y):
    double_rows[(x.shape[0],)](x, y, 33, 1024, BLOCK=1024)
