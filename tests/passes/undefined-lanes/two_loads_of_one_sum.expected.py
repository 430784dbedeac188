# verify: no, it has no launcher
"""Said once, though two loads leave lanes undefined."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    w = tl.load(W + cols, mask=mask, other=0.0)
    tl.store(Y + row, tl.sum(x * w, axis=0))
