# expect: silent
"""A parameter may be an axis: helpers are given constants of the compiler."""

import triton
import triton.language as tl


@triton.jit
def reduced(x, axis):
    return tl.max(x, axis)
