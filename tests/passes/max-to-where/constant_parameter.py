# expect: missed no-constant
"""The bound is a constexpr parameter: it may be NaN or -0.0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, LOW: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.maximum(x, LOW)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, -1.0, BLOCK=32)
    return y
