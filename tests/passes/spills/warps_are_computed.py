# expect: silent
"""The number of warps comes from a function: it may well be enough."""

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


def warps_for(n):
    return 32 if n > 4096 else 4


def softmax(x):
    m, n = x.shape
    assert n <= 32768
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=block, num_warps=warps_for(n))
    return y
