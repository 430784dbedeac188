"""Two parameters are one block pointer, and one of them moves."""

import torch
import triton
import triton.language as tl


@triton.jit
def neighbors(X, n, left_offset, B: tl.constexpr):
    offs_n = left_offset + tl.arange(0, B).to(tl.int64)
    left = X + offs_n
    offs_n_2 = left_offset + tl.arange(0, B).to(tl.int64)
    offs_n_2 += B
    x = tl.load(left, mask=offs_n < n, other=0.0)
    return x + tl.load(X + offs_n_2, mask=offs_n_2 < n, other=0.0)


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_n
    tl.store(y_block, neighbors(X, n, pid * B, B), mask=offs_n < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
