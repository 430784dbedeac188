# verify: always
"""The row is the number of an iteration."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(M):
        x = tl.load(X + tl.cast(row, tl.int64) * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + tl.cast(row, tl.int64) * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y
