import torch
import triton
import triton.language as tl


# case: division_rounded
# like: mean_shrunk
# expect: not applied, pinned-bits
"""The divisions are `tl.div_rn`, correctly rounded: somebody matches another library bit for
bit."""
#-    mean = tl.sum(acc, axis=0) / N
#-    mean = mean * 0.5
#+    mean = tl.div_rn(tl.sum(acc, axis=0), N.to(tl.float32))
#-    var = tl.sum(acc2, axis=0) / N
#+    var = tl.div_rn(tl.sum(acc2, axis=0), N.to(tl.float32))


# case: index_wraps
# like: large_values
# expect: not applied, different-elements
"""The second sweep's index is an int8, which wraps at 128."""
#     sq = tl.zeros([BLOCK], dtype=tl.float32)
#     for start in range(0, N, BLOCK):
#         cols = start + tl.arange(0, BLOCK)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = tl.load(X + cols.to(tl.int8), mask=cols < N, other=0.0).to(tl.float32)


# case: linear_pinned
# like: linear_entropy
# expect: not applied, pinned-bits
"""Somebody matched the rounding of another library."""
#-    lse = largest + tl.log(total)
#+    lse = largest + tl.log(tl.div_rn(total, 1.0))


# case: root_rounded
# like: mean_shrunk
# expect: not applied, pinned-bits
"""The standard deviation is formed by `tl.sqrt_rn`, correctly rounded, after sums that are meant
to match another library's."""
#-    mean = mean * 0.5

#-    var = tl.sum(acc2, axis=0) / N
#+    var = tl.sqrt_rn(tl.sum(acc2, axis=0) / N)


# case: round_trip
# like: volatile_second
# expect: not applied, different-elements
"""The data takes a round trip through bf16 in both sweeps, to have the bits of a library that
computes in bf16."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.bfloat16).to(tl.float32)
#-        x = tl.load(X + cols, mask=cols < N, other=0.0, volatile=True)
#+        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.bfloat16).to(tl.float32)
