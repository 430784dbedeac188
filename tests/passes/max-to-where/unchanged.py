import torch
import triton
import triton.language as tl


# case: builtin_and_reduction
# like: boolean_constant
# expect: unchanged
"""A reduction over a proper axis and Python's own `max` of numbers are left alone."""
#-    y = tl.maximum(x, True)
#+    top = tl.max(x, 0)
#+    width: tl.constexpr = max(BLOCK, 16)
#+    y = x - top + width
