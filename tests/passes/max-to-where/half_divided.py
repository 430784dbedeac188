# expect: missed type-is-unknown
"""Some versions of Triton divide fp16 as fp16."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float16) / 2
    y = tl.maximum(x, 0.1)
    tl.store(Y + cols, y, mask=cols < N)
