# expect: missed too-many-statements
# options: max_statements=12
"""There are copies of the outer loop already, by hand or by an earlier run: those of the inner
loop are added to them."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, m, flag):
    total = 0.0
    if flag > 0:
        for i in range(n):
            for j in range(m):
                if i > 1:
                    total += 1.0
                total += tl.load(X + i * m + j)
            total = total * 2.0
    else:
        for i in range(n):
            for j in range(m):
                total += tl.load(X + i * m + j)
            total = total * 3.0
    tl.store(Out, total)
