"""One helper makes it, and another one gets one."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    offs_n = offset + tl.arange(0, B).to(tl.int64)
    return X + offs_n, offs_n < n


@triton.jit
def doubled(X, n, block_offset, B: tl.constexpr):
    offs_n = block_offset + tl.arange(0, B).to(tl.int64)
    block = X + offs_n
    return tl.load(block, mask=offs_n < n) * 2


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    y_block, y_block_mask = block_of(Y, n, pid * B, B)
    tl.store(y_block, doubled(X, n, pid * B, B), mask=y_block_mask)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
