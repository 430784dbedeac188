# verify: always
"""The program id has no name."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    X += tl.program_id(0) * stride
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
