# expect: missed not-expressible
"""The name in the condition is the kernel's for something else before."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        chosen = start + tl.arange(0, BLOCK)
        tl.store(Out + chosen, 0.0, mask=chosen < n)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        chosen = flag > 0
        if chosen:
            x = x * 2.0
        tl.store(Out + row * n + cols, x, mask=cols < n)
