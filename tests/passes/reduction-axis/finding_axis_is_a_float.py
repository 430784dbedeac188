import torch
import triton
import triton.language as tl


# case: reduction_with_indices
# like: reduction_as_a_method
# expect: finding, axis-is-a-float
"""tl.maximum gives no indices: only who wrote it knows what was meant."""
#-    tl.store(Y + cols, x.min(axis=y), mask=cols < N)
#+    z = tl.max(x, y, return_indices=False)
#+    tl.store(Y + cols, z, mask=cols < N)


# case: sum_of_two
# like: reduction_as_a_method
# expect: finding, axis-is-a-float
"""What was meant by the sum of two tiles is not certain: it may be that of their products."""
#-    tl.store(Y + cols, x.min(axis=y), mask=cols < N)
#+    tl.store(Y + cols, tl.sum(x, y), mask=cols < N)
