# expect: missed under-a-condition
"""A pointer that was passed is no constant: its `if` is one at run time."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if B:
            x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)
