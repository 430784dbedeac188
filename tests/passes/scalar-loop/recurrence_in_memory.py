# expect: missed dependence-between-iterations
"""An iteration loads what the one before has stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, n):
    for i in range(1, n):
        tl.store(X + i, tl.load(X + i) + tl.load(X + i - 1))
