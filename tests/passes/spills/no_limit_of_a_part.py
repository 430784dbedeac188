# expect: silent
"""As there, and a tile holds a part of a row that grows with it."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(Y, X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


def softmax(x):
    m, n = x.shape
    y = torch.empty_like(x)
    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=triton.next_power_of_2(n // 8))
    return y
