# expect: missed name-is-bound-elsewhere
"""The counter lives on behind its loop: `i += 1` reads it, though it looks like a binding."""

import triton
import triton.language as tl


@triton.jit
def kernel(Out, n, flag):
    for i in range(n):
        if flag > 0:
            tl.store(Out + i, 1.0)
    i += 1
    tl.store(Out + n, i)
