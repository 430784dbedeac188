# expect: missed dependence-between-iterations
"""The stride is a parameter that may be 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, stride):
    for i in range(n):
        tl.store(Y + i * stride, tl.load(X + i))
