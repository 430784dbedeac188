"""Names that are bound again between a grid and its launch are other numbers there."""

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
def counted(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    grid = (m,)
    m = 7
    block = triton.next_power_of_2(n)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y * m


# tritonopt: x: f32[m, n]
def by_a_function(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(2 * m, device=x.device)
    grid = lambda meta: (2 * m,)
    x = torch.cat([x, x])
    m = m // 2
    block = triton.next_power_of_2(n)
    y = torch.empty(2 * m, device=x.device)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[m, n]
def tiled(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    block = 16
    grid = (m, triton.cdiv(1, block))
    block = triton.next_power_of_2(n)
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y
