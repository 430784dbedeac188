import torch
import triton
import triton.language as tl


# case: reduction_with_hidden_arguments
# expect: silent
"""Nobody sees whether the axis is a float."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, axis: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = x - tl.max(x, *axis)
    tl.store(Y + cols, y, mask=cols < N)
