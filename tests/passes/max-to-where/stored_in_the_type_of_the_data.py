# verify: always
"""Nothing is known of the data's type, but 6.0 is 6.0 in all of them, and the result is only
stored, cast and compared."""

import torch
import triton
import triton.language as tl


@triton.jit
def relu6_kernel(x_ptr, y_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + offsets, y, mask=mask)
    wide = y.to(tl.float32) * 2.0
    tl.store(flag_ptr + offsets, (y > 6.0) & (wide > 1.0), mask=mask)


# tritonopt: x: f16[n]
def relu(x: torch.Tensor):
    y = torch.empty_like(x)
    flags = torch.empty(x.numel(), dtype=torch.bool, device=x.device)
    n = x.numel()
    relu6_kernel[(triton.cdiv(n, 32),)](x, y, flags, n, BLOCK=32)
    return y, flags
