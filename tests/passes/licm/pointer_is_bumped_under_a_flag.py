# expect: missed under-a-condition
"""The load of the first row is another one than that of the second."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    bias = B + cols
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if row > m:
            x += tl.load(B + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            x += tl.load(bias, mask=mask, other=0.0)
            bias += n
        tl.store(Out + row * n + cols, x, mask=mask)
