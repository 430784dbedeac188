# expect: missed computed-twice
"""Written twice, the constant would count twice."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    y = tl.maximum(x, (tl.atomic_add(Y, 1), 0.5)[1])
    tl.store(Y + cols, y, mask=cols < N)
