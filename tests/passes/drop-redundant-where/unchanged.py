import torch
import triton
import triton.language as tl


# case: atomic_in_the_condition
# like: exponential_of_zero
# expect: unchanged
"""The condition counts, too."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(mask & (mask | (tl.atomic_add(OUT, 1.0) > 0.0)), x * w, 0.0)


# case: relu
# like: exponential_of_zero
# expect: unchanged
"""A comparison of the values themselves clears no masked-off lanes; nothing is said of it."""
#-    value = tl.where(mask, tl.exp(x), 0.0)
#+    value = tl.where(x > 0.0, x, 0.0)
#+    index = tl.where(mask, cols, 0)
#+    value = value + index
