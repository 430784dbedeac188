# verify: no, the original does not compile
"""The larger of two numbers, one of them carried by a loop."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    best = float("-inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
        best = tl.max(best, tl.max(x, axis=0))
    tl.store(Y, best)
