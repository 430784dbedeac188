import torch
import triton
import triton.language as tl


# case: tensor_descriptor
# like: arguments_are_hidden
# expect: silent
"""A tensor descriptor is no block pointer."""
#-    rest = ((n,), (1,), (0,), (B,), (0,))
#-    p = tl.make_block_ptr(X, *rest)
#-    tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)
#+    desc = tl.make_tensor_descriptor(X, [n, 16], [16, 1], [B, 16])
#+    tl.store(Y + tl.arange(0, B), tl.sum(desc.load([0, 0]), axis=1), mask=tl.arange(0, B) < n)
