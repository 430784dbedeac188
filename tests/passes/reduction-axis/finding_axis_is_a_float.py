import torch
import triton
import triton.language as tl


# case: reduction_with_indices
# expect: finding, axis-is-a-float
"""tl.maximum gives no indices: only who wrote it knows what was meant."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.load(Y + cols, mask=cols < N, other=0.0)
    z = tl.max(x, y, return_indices=False)
    tl.store(Y + cols, z, mask=cols < N)


# case: sum_of_two
# expect: finding, axis-is-a-float
"""What was meant by the sum of two tiles is not certain: it may be that of their products."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    y = tl.load(Y + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, tl.sum(x, y), mask=cols < N)
