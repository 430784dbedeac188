# expect: silent
"""A function says how long tiles are, and how many warps, for rows of any length."""

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


def settings(n):
    block = triton.next_power_of_2(n)
    return block, 16 if block >= 8192 else 4


def softmax(x):
    m, n = x.shape
    y = torch.empty_like(x)
    block, num_warps = settings(n)
    softmax_rows[(m,)](y, x, x.stride(0), n, BLOCK=block, num_warps=num_warps)
    return y
