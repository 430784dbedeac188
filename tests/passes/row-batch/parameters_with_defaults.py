"""A new parameter without a default stands before those with one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, scale=1.0, BLOCK: tl.constexpr = 16):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0) * scale)


# tritonopt: x: f32[m, n]
def run(x):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    kernel[(m,)](x, y, x.stride(0), n, 1.0, triton.next_power_of_2(n))
    kernel[(m,)](N=n, BLOCK=triton.next_power_of_2(n), X=x, Y=y, stride=x.stride(0), num_warps=2)
    return y
