# verify: always
# options: elements=64
"""A row of padding is left alone."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, L, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if tl.load(L + row) < 0:
        return
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], l: i32[m]
def run(x: torch.Tensor, l: torch.Tensor):
    m, n = x.shape
    x, l = x.contiguous(), l.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, l, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
