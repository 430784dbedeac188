import torch
import triton
import triton.language as tl


# case: axis_in_a_parameter
# expect: silent
"""A parameter may be an axis: helpers are given constants of the compiler."""

import triton
import triton.language as tl


@triton.jit
def reduced(x, axis):
    return tl.max(x, axis)


# case: builtin_and_reduction
# like: maximum_of_a_reduction
# expect: silent
"""A reduction over a proper axis and Python's own `max` of numbers are left alone."""
#-    y = tl.max(x, 0.0)
#+    top = tl.max(x, 0)
#+    width: tl.constexpr = max(BLOCK, 16)
#+    y = x - top + width


# case: reduction_with_hidden_arguments
# expect: silent
"""Nobody sees whether the axis is a float."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, axis: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = x - tl.max(x, *axis)
    tl.store(Y + cols, y, mask=cols < N)
