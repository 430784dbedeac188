# expect: missed not-a-recurrence
"""An iteration computes with what the one before has left."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    state = 0.0
    for i in range(n):
        state = state * 0.5 + tl.load(X + i)
    tl.store(Y, state)
