# expect: missed already-done
"""The loop stands where the same condition holds: the branch is always taken."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    total = 0.0
    if flag:
        for i in range(n):
            if not flag:
                total += 1.0
            total += tl.load(X + i)
    tl.store(Out, total)
