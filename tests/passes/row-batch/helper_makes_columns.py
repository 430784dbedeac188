"""A helper gives the columns, another one reads weights at them."""

import torch
import triton
import triton.language as tl


@triton.jit
def columns(BLOCK: tl.constexpr):
    return tl.arange(0, BLOCK)


@triton.jit
def weights(W, cols, N):
    return tl.load(W + cols, mask=cols < N, other=0.0)


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = columns(BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    w = weights(W, cols, N)
    tl.store(Y + row * stride + cols, x * w - tl.max(x), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    assert n <= 16
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)
    return y
