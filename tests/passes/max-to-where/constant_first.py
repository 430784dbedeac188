# verify: always
"""The constant is the first operand. `tl.where(0.0 > x, 0.0, x)` would let a NaN through, so it
comes last all the same. The constants have names, in the module and in the kernel."""

import torch
import triton
from triton import language as tl

FLOOR = tl.constexpr(-2.5)
NOTHING = tl.constexpr(float("-inf"))


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    CEILING: tl.constexpr = 1.25
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    x = tl.maximum(FLOOR, x)
    x = tl.minimum(CEILING, x)
    x = tl.maximum(NOTHING, x)
    tl.store(Y + cols, x * 2.0, mask=cols < N)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
