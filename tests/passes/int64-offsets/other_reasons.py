import torch
import triton
import triton.language as tl


# case: a_comment_inside
# like: beside_numbers_without_a_sign
# expect: not applied, comment-inside
"""The comment would be lost."""
#-    row = tl.program_id(0)
#+    row = tl.program_id(
#+        0  # one program for a row
#+    )
#-    length = tl.load(X).to(tl.uint32)

#-    tl.store(Y + row * stride + cols, tl.where(row - 5 < length, x, 0.0), mask=cols < N)
#+    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


# case: in_a_helper
# like: a_helper_asserts_its_type
# expect: not applied, opaque-value
"""The product is in a function, which others may call."""
#-def check(row):
#-    tl.static_assert(row.dtype == tl.int32)
#+def offset_of(row, stride):
#+    return (row % 4096) * 0 + row * stride
#-    check(row)
#-    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)
#+    x = tl.load(X + offset_of(row, stride) + cols, mask=cols < N, other=0.0)
#+    tl.store(Y + offset_of(row, stride) + cols, x * 2, mask=cols < N)
