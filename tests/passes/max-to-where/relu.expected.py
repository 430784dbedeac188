"""A ReLU over a row of fp32, with a comment behind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = tl.where(x > 0.0, x, 0.0)  # NaN becomes 0
    tl.store(y_ptr + offsets, y * y, mask=mask)


# tritonopt: x: f32[n]
def relu_squared(x: torch.Tensor):
    y = torch.empty_like(x)
    n = x.numel()
    relu_kernel[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
