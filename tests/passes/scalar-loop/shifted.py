# expect: missed dependence-between-iterations
"""An iteration loads what a later one stores."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, n):
    for i in range(n - 1):
        tl.store(X + i, tl.load(X + i + 1))
