# verify: always
"""Of -0.0 and 0.0 the minimum is -0.0, and 1 / x tells one from the other: hence `<=`."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=1.0).to(tl.float32)
    low = tl.where(x <= 0.0, x, 0.0)
    high = tl.where(x > 0.0, x, 0.0)
    tl.store(Y + cols, 1.0 / low + 1.0 / high, mask=cols < N)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
