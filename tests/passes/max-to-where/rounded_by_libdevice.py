# expect: missed type-is-unknown
"""`llrint` of fp32 is int64."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    n = libdevice.llrint(x)
    n = tl.maximum(n, 3)
    tl.store(Y + cols, n * 2, mask=cols < N)
