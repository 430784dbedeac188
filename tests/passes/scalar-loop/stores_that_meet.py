# expect: missed dependence-between-iterations
"""Two stores of an iteration: the later iteration's first comes after the earlier one's second."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Y, n):
    for i in range(n):
        tl.store(Y + i, i)
        tl.store(Y + i + 1, -i)
