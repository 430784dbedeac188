import torch
import triton
import triton.language as tl


# case: reduction_with_hidden_arguments
# like: constant_after_an_atomic
# expect: silent
"""Nobody sees whether the axis is a float."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N, axis: tl.constexpr, BLOCK: tl.constexpr):
#-    y = tl.maximum(x, (tl.atomic_add(Y, 1), 0.5)[1])
#+    y = x - tl.max(x, *axis)
