# expect: missed not-lane-by-lane
"""The compiler rounds down, the kernel towards zero."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Y):
    for i in tl.static_range(-20, 20):
        tl.store(Y + i + 20, i // 3)
