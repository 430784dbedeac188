"""A parameter behind it has a default."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(X, n, block_offset, B: tl.constexpr, scale=1.0, shift: tl.constexpr = 2):
    offs_n = block_offset + tl.arange(0, B).to(tl.int64)
    block = X + offs_n
    return tl.load(block, mask=offs_n < n, other=float("nan")) * scale + shift


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_n
    tl.store(y_block, loaded(X, n, pid * B, B, shift=1), mask=offs_n < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
