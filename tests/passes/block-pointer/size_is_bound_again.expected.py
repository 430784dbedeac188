# verify: always
"""The mask needs the size that was, which is gone where the load is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.program_id(0) * B + tl.arange(0, B).to(tl.int64)
    x_block_mask = offs_n < n
    x_block = X + offs_n
    n = tl.minimum(n, 40)
    x = tl.load(x_block, mask=x_block_mask, other=0.0)
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(Y + offs, x + n, mask=offs < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
