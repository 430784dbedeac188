# expect: missed not-expressible
"""What is asked is computed under the condition of the compiler."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, scale, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if HAS_SCALE:
            half = scale * 0.5
            if half > 0.0:
                x = x * half
        tl.store(Out + row * n + cols, x, mask=cols < n)
