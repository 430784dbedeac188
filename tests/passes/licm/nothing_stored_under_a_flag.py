# expect: missed compiler-knows
"""Nothing is stored in the loop."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(m):
        total += tl.load(X + row * n + cols, mask=mask, other=0.0)
        if HAS_BIAS:
            total += tl.load(B + cols, mask=mask, other=0.0)
    tl.store(Out + cols, total, mask=mask)
