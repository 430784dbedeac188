# expect: missed nan-is-propagated
"""The NaN mode is the third operand, and chosen at the launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, MODE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.minimum(x, 1.0, MODE)
    tl.store(Y + cols, y, mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 32),)](x, y, n, tl.PropagateNan.ALL, BLOCK=32)
    return y
