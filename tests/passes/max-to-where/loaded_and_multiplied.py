# expect: missed safety
"""For fp16 the maximum is fp32, so that its square does not overflow; a choice would stay fp16."""

import torch
import triton
import triton.language as tl


@triton.jit
def squared_relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + offsets, y * y, mask=mask)


def relu(x: torch.Tensor):
    y = torch.empty_like(x, dtype=torch.float32)
    n = x.numel()
    squared_relu[(triton.cdiv(n, 32),)](x, y, n, BLOCK=32)
    return y
