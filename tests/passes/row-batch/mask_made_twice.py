"""One name is the mask of the load, then that of the store."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    mask = (cols < N) & (cols > 0)
    tl.store(Y + row * stride + cols, x - tl.max(x, axis=0), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.zeros_like(x)
    assert n <= 16
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y
