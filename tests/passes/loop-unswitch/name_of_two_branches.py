# expect: missed type-changes
"""Two branches have a name for themselves, once for a float and once for an integer. Without the
first branch its name would be known in the second, with the wrong type."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    total = 0.0
    for i in range(n):
        if flag > 0:
            more = tl.load(X + i)
            total += more
        if i > 3:
            more = i + 1
            total += more
    tl.store(Out, total)
