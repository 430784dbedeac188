"""Each launch passes its own number, though both are bound before both launches."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[m, n], z: f32[k, l]
def run(x, z):
    x, z = x.contiguous(), z.contiguous()
    m, n = x.shape
    k, l = z.shape
    y, w = torch.empty(m, device=x.device), torch.empty(k, device=x.device)
    one, other = triton.next_power_of_2(n), triton.next_power_of_2(l)
    first_grid = (m,)
    second_grid = (k,)
    kernel[first_grid](x, y, x.stride(0), n, BLOCK=one)
    kernel[second_grid](z, w, z.stride(0), l, BLOCK=other)
    return y, w
