# expect: missed name-is-bound-elsewhere
"""The earlier loop leaves `i` behind as an integer of 32 bits. Inside of an `if` the second loop
may not make it one of 64, if that is what its bound is."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, m, flag):
    total = 0.0
    for i in range(0, 10):
        total += tl.load(X + i)
    for i in range(0, m):
        if flag > 0:
            total = total * 0.5
        total += tl.load(X + n + i)
    tl.store(Out, total)
