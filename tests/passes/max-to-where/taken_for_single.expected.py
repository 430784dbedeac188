# assume: n > 0
"""Nothing shows the type of the data; where assumptions are allowed it is taken for fp32."""

import torch
import triton
import triton.language as tl


@triton.jit
def squared_relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.where(x > 0.0, x, 0.0)
    z = tl.where(x < 6, x, 6)
    tl.store(y_ptr + offsets, y * y + z, mask=mask)


# tritonopt: x: f32[n]
def relu(x: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.float32)
    n = x.numel()
    squared_relu[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
