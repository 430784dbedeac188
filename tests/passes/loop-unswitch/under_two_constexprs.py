# expect: missed under-a-condition
"""Two conditions of the compiler, one in the other."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, scale, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if HAS_SCALE:
            if BLOCK > 16:
                if scale > 0.0:
                    x = x * scale
        tl.store(Out + row * n + cols, x, mask=cols < n)
