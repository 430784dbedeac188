import torch
import triton
import triton.language as tl


# case: helper_sums_and_stores
# like: sum_of_squares
# expect: silent
"""A helper stores, and returns a sum."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def noted(x, Y):
#+    tl.store(Y, 1.0)
#+    return tl.sum(x, axis=0)
#-        acc += tl.sum(x * x, axis=0)
#+        acc += noted(x, Y)


# case: scaled_by_a_maximum
# like: type_of_a_load
# expect: silent
"""What each lane is scaled by was reduced in another loop, and there is no reduction in this one."""
#-    acc = tl.load(X + row * N)
#+    lanes = tl.arange(0, BLOCK)
#+    largest = tl.max(tl.load(X + row * N + lanes, mask=lanes < N, other=0.0).to(tl.float32), axis=0)
#+    exponents = tl.zeros([BLOCK], dtype=tl.float32)
#-        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        acc += tl.sum(x, axis=0)
#-    tl.store(Y + row, acc)
#+        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#+        exponents += tl.exp(x - largest)
#+    tl.store(Y + row, tl.sum(exponents, axis=0))


# case: scaled_in_the_loop
# like: sum_of_squares
# expect: silent
"""The sum of an online softmax is scaled, as the maximum moves."""
#     acc = 0.0
#+    m = float("-inf")
#-        acc += tl.sum(x * x, axis=0)
#+        new = tl.maximum(m, tl.max(x, axis=0))
#+        acc = acc * tl.exp(m - new) + tl.sum(tl.exp(x - new), axis=0)
#+        m = new


# case: starts_in_each_iteration
# like: sum_of_squares
# expect: silent
"""Each iteration starts its own sum."""
#-    acc = 0.0
#+    part = 0.0
#-        acc += tl.sum(x * x, axis=0)
#-    tl.store(Y + row, acc)
#+        part = 0.0
#+        part += tl.sum(x, axis=0)
#+        tl.store(Y + row + start, part)
