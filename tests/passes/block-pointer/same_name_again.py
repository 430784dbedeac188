"""One name for one block pointer after another."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    p = tl.make_block_ptr(X, (n,), (1,), (begin,), (B,), (0,))
    x = tl.load(p, boundary_check=(0,), padding_option="zero")
    p = tl.make_block_ptr(Y, (n,), (1,), (begin,), (B,), (0,))
    tl.store(p, x + 1, boundary_check=(0,))
    p = begin + tl.arange(0, B)
    tl.store(Y + p, x + 1, mask=p < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
