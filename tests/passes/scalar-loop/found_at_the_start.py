# expect: missed not-a-recurrence
"""0 says that nothing was found, and also that the first was."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    found = 0
    for i in range(n):
        if found == 0 and tl.load(X + i) > 3:
            found = i
    tl.store(Y, found)
