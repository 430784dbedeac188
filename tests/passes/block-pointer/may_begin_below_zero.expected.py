"""The block begins one element before the tensor: a check asks on both sides."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    offs_n = begin - 1 + tl.arange(0, B).to(tl.int64)
    left = X + offs_n
    offs_n_2 = begin + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_n_2
    x = tl.load(left, mask=(offs_n >= 0) & (offs_n < n), other=0.0)
    tl.store(y_block, x, mask=offs_n_2 < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
