# expect: missed type-is-unknown
"""What a helper returns is a tensor of fp32."""

import triton
import triton.language as tl


@triton.jit
def nothing():
    return 0.0


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    z = tl.load(Z + cols, mask=mask, other=0.0)
    y = tl.where(mask, x * z, nothing()) + 0.1
    tl.store(Y + cols, y, mask=mask)
