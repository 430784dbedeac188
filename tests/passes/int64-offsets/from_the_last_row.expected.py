"""What is cast is put into parentheses."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + (M - 1 - row) * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + (M - 1 - row) * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y
