# options: turns=1
"""The result goes to the row itself: no part has stored anything when another one loads."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first = tl.load(X + row * stride)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + row * stride, first - tl.sum(acc, axis=0) / N)


def center_first(x: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, x, x.stride(0), n, BLOCK=64)
    return x
