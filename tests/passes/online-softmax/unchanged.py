import torch
import triton
import triton.language as tl


# case: maximum_is_added
# like: logsumexp
# expect: unchanged
"""The maximum is added beside the exponentials."""
#-        s += tl.sum(tl.exp(x - m), axis=0)
#+        s += tl.sum(tl.exp(x - m), axis=0) + m


# case: narrow_sum
# like: logsumexp
# expect: unchanged
"""The sum is kept in fp16."""
#-    s = 0.0
#+    sums = tl.zeros([BLOCK], dtype=tl.float16)
#-        s += tl.sum(tl.exp(x - m), axis=0)
#-    tl.store(Y + row, m + tl.log(s))
#+        sums += tl.exp(x - m).to(tl.float16)
#+    tl.store(Y + row, tl.sum(sums, axis=0))


# case: unrolled
# like: logsumexp
# expect: unchanged
"""The compiler unrolls the loops."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, N: tl.constexpr, BLOCK: tl.constexpr):
#-    for start in range(0, N, BLOCK):
#+    for start in tl.static_range(0, N, BLOCK):
#-    for start in range(0, N, BLOCK):
#+    for start in tl.static_range(0, N, BLOCK):
