import torch
import triton
import triton.language as tl


# case: second_sweep_counts
# like: second_sweep_exact
# expect: not applied, several-sweeps
"""The second loop carries a sum from turn to turn."""
#     largest = tl.max(most, axis=0)
#+    below = 0.0
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        below += tl.sum(tl.where(cols < N, largest - x, 0.0), axis=0)
#+        tl.store(Y + row * stride + cols, x - below, mask=cols < N)


# case: second_sweep_under_a_condition
# like: second_sweep_exact
# expect: not applied, several-sweeps
"""The second loop only runs for some rows."""
#-    for start in range(0, N, BLOCK):
#-        cols = start + tl.arange(0, BLOCK)
#-        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+    if largest > 0:
#+        for start in range(0, N, BLOCK):
#+            cols = start + tl.arange(0, BLOCK)
#+            x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+            tl.store(Y + row * stride + cols, x - largest, mask=cols < N)


# case: second_sweep_unrolled
# like: second_sweep_exact
# expect: not applied, several-sweeps
"""The compiler unrolls the second loop, and has to know where it begins."""
#     largest = tl.max(most, axis=0)
#-    for start in range(0, N, BLOCK):
#+    for start in tl.static_range(0, 256, BLOCK):


# case: three_sweeps
# like: second_sweep_exact
# expect: not applied, several-sweeps
"""A third loop behind the second one."""
#         tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+    for start in range(0, N, BLOCK):
#+        cols = start + tl.arange(0, BLOCK)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
#+        tl.store(Y + row * stride + cols, x + largest, mask=cols < N)


# case: two_sweeps
# like: exact_bits
# expect: not applied, several-sweeps
"""The second sweep needs the mean of the first."""
#-    tl.store(Y + row, tl.div_rn(tl.sum(acc, axis=0), 3.0))
#+    mean = tl.sum(acc, axis=0) / N
#+    var = tl.zeros([BLOCK], dtype=tl.float32)
#+    for start in range(0, N, BLOCK):
#+        cols = start + tl.arange(0, BLOCK)
#+        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        d = tl.where(cols < N, x - mean, 0.0)
#+        var += d * d
#+    tl.store(Y + row, tl.sum(var, axis=0) / N)
