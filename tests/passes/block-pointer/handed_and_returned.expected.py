"""The helper gives back the block pointer that it is given."""

import torch
import triton
import triton.language as tl


@triton.jit
def same(X, n, block_offset, B: tl.constexpr):
    offs_n = block_offset + tl.arange(0, B).to(tl.int64)
    block = X + offs_n
    return block, offs_n < n


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_n
    other, other_mask = same(X, n, pid * B, B)
    x = tl.load(other, mask=other_mask, other=0.0)
    tl.store(y_block, x + 1, mask=offs_n < n)


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
