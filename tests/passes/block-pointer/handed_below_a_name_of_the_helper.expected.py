"""What the callers call it means something else in the helper."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(block_base, block_size, block_offset, B: tl.constexpr, X):
    offs_size = block_offset + tl.arange(0, B).to(tl.int64)
    block = block_base + offs_size
    n = X + 1.0
    return tl.load(block, mask=offs_size < block_size, other=0.0) * n


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_n
    tl.store(y_block, loaded(X, n, pid * B, B, 2.0), mask=offs_n < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
