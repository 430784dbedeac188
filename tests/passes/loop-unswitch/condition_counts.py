# expect: missed condition-is-not-plain
"""A helper counts how often it was asked, and says what does not change."""

import triton
import triton.language as tl


@triton.jit
def asked(Count, flag):
    tl.atomic_add(Count, 1)
    return flag


@triton.jit
def kernel(X, Out, Count, n, flag):
    total = 0.0
    for i in range(n):
        if asked(Count, flag) > 0:
            total += tl.load(X + i)
    tl.store(Out, total)
