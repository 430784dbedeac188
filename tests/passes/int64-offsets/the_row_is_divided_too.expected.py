"""A division of 64 bits is slow, so the cast stands at the product."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row.to(tl.int64) * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row.to(tl.int64) * stride + cols, x * 2, mask=(cols < N) & (row % 2 == 0))


def launch(x):
    m, n = x.shape
    y = torch.zeros_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
