# options: elements=64
"""The programs along another axis stay as they are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride_b, stride_h, N, BLOCK: tl.constexpr):
    batch = tl.program_id(0)
    head = tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    offsets = batch * stride_b + head * stride_h + cols
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    tl.store(Y + offsets, x - tl.sum(x) / N, mask=cols < N)


# tritonopt: x: f32[b, h, n]
def center(x: torch.Tensor):
    b, h, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = (b, h)
    kernel[grid](x, y, x.stride(0), x.stride(1), n, BLOCK=triton.next_power_of_2(n))
    return y
