"""A grid is bound before a loop that launches: it is divided where the launch is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(3, m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    for i in range(3):
        kernel[grid](x, y[i], x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[m, n]
def growing(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(3, m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    for i in range(3):
        kernel[grid](x, y[i], x.stride(0), n, BLOCK=block)
        block = block * 2
    return y
