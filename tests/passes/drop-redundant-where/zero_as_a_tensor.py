# expect: missed type-is-unknown
"""`tl.to_tensor` makes fp32 of the number, and that of fp16."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0)
    z = tl.load(Z + cols, mask=mask, other=0.0)
    y = tl.where(mask, x * z, tl.to_tensor(0.0)) + 0.1
    tl.store(Y + cols, y, mask=mask)
