# expect: missed tiles-race
"""A row reads the one above, which another program writes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(X + (row + 1) * stride + cols, x - tl.sum(x), mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    kernel[(m - 1,)](x, x.stride(0), n, BLOCK=64)
    return x
