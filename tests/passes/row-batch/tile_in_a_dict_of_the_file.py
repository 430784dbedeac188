"""A dictionary of constants is the file's own, and two launches pass it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


META = {"BLOCK": 16}


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 16
    x = x.contiguous()
    y, z = torch.empty_like(x), torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, **META)
    kernel[(m,)](y, z, x.stride(0), n, **META)
    return z
