# expect: silent
"""How often the loop turns is no address."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n"])
def powers(X, Y, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes)
    for _ in range(n):
        x = x * x
    tl.store(Y + lanes, x)
