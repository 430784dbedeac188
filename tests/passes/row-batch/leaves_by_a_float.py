# options: elements=64
"""Of NaN neither an order nor its contrary is true: such a row stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    weight = tl.load(W + row)
    if weight < 0.5:
        return
    if weight == 1.0:
        return
    if (weight < 0.7) == (weight > 0.6):
        return
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * weight, mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[m]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, w, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y
