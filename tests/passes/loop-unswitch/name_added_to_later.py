# expect: missed name-is-bound-elsewhere
"""What the loop binds first is added to behind it, which only plain Python lets pass."""

import triton
import triton.language as tl


@triton.jit
def kernel(Out, n, flag):
    for i in range(n):
        x = i * 2
        if flag > 0:
            x = x + 1
        tl.store(Out + i, x)
    x += 1
    tl.store(Out + n, x)
