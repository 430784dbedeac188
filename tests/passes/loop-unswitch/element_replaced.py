# expect: unchanged
"""The tuple keeps its name while one of its elements, which the condition asks for, changes."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, other):
    state = [flag, other]
    total = 0.0
    for i in range(n):
        if state[0] > 0:
            total += tl.load(X + i)
        state[0] = state[0] - 1
    tl.store(Out, total)
