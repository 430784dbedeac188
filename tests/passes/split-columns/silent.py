import torch
import triton
import triton.language as tl


# case: a_loop_already
# like: sums_alone
# expect: silent
# options: longest=16,block=16
"""The kernel goes through its row in tiles."""
#-    cols = tl.arange(0, BLOCK)
#-    mask = cols < N
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    total = tl.zeros([BLOCK], dtype=tl.float32)
#+    for start in range(0, N, BLOCK):
#+        cols = start + tl.arange(0, BLOCK)
#+        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
#+    tl.store(Y + row, tl.sum(total, axis=0))


# case: two_lengths
# like: filled_with_the_length
# expect: silent
# options: longest=16,block=16
"""Two lengths of a row."""
#-def kernel(X, Y, N, BLOCK: tl.constexpr):
#+def kernel(X, Y, M, N, BLOCK: tl.constexpr):
#-    y = x / tl.sum(x, axis=0) + tl.full([BLOCK], BLOCK, dtype=tl.float32)
#-    tl.store(Y + row * N + cols, y, mask=mask)
#+    w = tl.load(X + cols, mask=cols < M, other=0.0)
#+    tl.store(Y + row * N + cols, x * w / tl.sum(x, axis=0), mask=mask & (cols < M))
#-    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
#+    kernel[(m,)](x, y, n, n, BLOCK=triton.next_power_of_2(n))
