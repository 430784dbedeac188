"""Which one is read is decided before: each brings its mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, REVERSED: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    if REVERSED:
        offs_n = pid * B + tl.arange(0, B).to(tl.int64)
        x_block_mask = offs_n < n
        x_block = X + n - 1 + offs_n * -1
    else:
        offs_n_2 = pid * B + tl.arange(0, B).to(tl.int64)
        x_block_mask = offs_n_2 < n
        x_block = X + offs_n_2
    x = tl.load(x_block, mask=x_block_mask, other=0.0)
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)


def run(x: torch.Tensor, backwards: bool = False):
    x = x.contiguous()
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, REVERSED=backwards, B=32)
    return y
