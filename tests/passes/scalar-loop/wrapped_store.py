# expect: missed dependence-between-iterations
"""The index wraps around."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, k: tl.constexpr):
    for i in range(n):
        tl.store(Y + i % k, tl.load(X + i))
