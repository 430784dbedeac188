# expect: missed too-many-statements
# options: max_statements=11
"""Two conditions are moved, which makes four copies; a third would make eight."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    total = 0.0
    if n > 5:
        if n > 8:
            for i in range(n):
                total += tl.load(X + i)
        else:
            for i in range(n):
                total -= tl.load(X + i)
    else:
        for i in range(n):
            if flag > 0:
                total += 1.0
            total *= tl.load(X + i)
    tl.store(Out, total)
