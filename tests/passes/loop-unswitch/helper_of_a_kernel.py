# expect: missed condition-is-not-plain
"""What a kernel passes to a helper may be known to the compiler."""

import triton
import triton.language as tl


@triton.jit
def total(X, n, squared):
    acc = 0.0
    for i in range(n):
        x = tl.load(X + i)
        if squared:
            x = x * x
        acc += x
    return acc


@triton.jit
def kernel(X, Out, n, SQUARED: tl.constexpr):
    tl.store(Out, total(X, n, SQUARED))
