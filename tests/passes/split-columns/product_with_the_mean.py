# options: longest=16,block=16
"""Of a difference from the mean, which is a number, times what is 0 behind the row, 0 is left."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, DY, DX, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    dy = tl.load(DY + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    product = tl.sum(dy * (x - mean) * (row + 1), axis=0)
    tl.store(DX + row * stride + cols, dy - product / N, mask=cols < N)


# tritonopt: x: f32[m, n], dy: f32[m, n]
def run(x: torch.Tensor, dy: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    dy = dy.contiguous()
    dx = torch.empty_like(x)
    kernel[(m,)](x, dy, dx, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return dx
