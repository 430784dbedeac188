"""Where a launcher may leave between grid and launch, nothing is divided before the launch."""

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
def by_a_tuple(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.zeros(m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)
    if n == 0:
        return y
    kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y


# tritonopt: x: f32[m, n]
def by_a_function(x):
    x = x.contiguous()
    n = x.shape[-1]
    y = torch.zeros(x.shape[:-1], device=x.device)

    def grid(meta):
        return (x.numel() // n,)

    if n == 0:
        return y
    kernel[grid](x, y, n, n, BLOCK=triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[m, n]
def under_a_test(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.zeros(m, device=x.device)
    block = triton.next_power_of_2(n)
    grid = (m,)  # a program for each row
    if n > 0:
        kernel[grid](x, y, x.stride(0), n, BLOCK=block)
    return y
