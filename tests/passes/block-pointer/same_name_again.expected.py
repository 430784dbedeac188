"""One name for one block pointer after another."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    offs_n = begin + tl.arange(0, B).to(tl.int64)
    p = X + offs_n
    x = tl.load(p, mask=offs_n < n, other=0.0)
    p = Y + offs_n
    tl.store(p, x + 1, mask=offs_n < n)
    p = begin + tl.arange(0, B)
    tl.store(Y + p, x + 1, mask=p < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
