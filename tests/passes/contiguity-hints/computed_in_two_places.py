# expect: analysis hint-narrows
"""Hints are about one operation: the first says nothing of groups of 4."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y):
    pid = tl.program_id(0)
    first = tl.multiple_of(pid * 64 + tl.arange(0, 64), 64)
    second = tl.max_contiguous(pid * 64 + tl.arange(0, 64), 4)
    tl.store(Y + first, tl.load(X + second))
