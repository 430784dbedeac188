"""A number that a launch passes is the number of its rows, by whatever its grid is written."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    length = 1 * n
    grid = lambda meta: (triton.cdiv(m * n, length),)
    kernel[grid](x, y, x.stride(0), m, n, triton.next_power_of_2(n))
    return y


# tritonopt: x: f32[m, n]
def by_its_shape(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(x.shape[0],)](x, y, x.stride(0), m, n, triton.next_power_of_2(n))
    return y
