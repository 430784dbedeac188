"""The kernel makes it itself where the helper does not, and another one beside it."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    offs_n = offset + tl.arange(0, B).to(tl.int64)
    return X + offs_n, offs_n < n


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, STEP: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    if STEP == 1:
        x_block, x_block_mask = block_of(X, n, pid * B, B)
    else:
        x_block_mask = offs_n < n
        x_block = X + offs_n * STEP
    y_block = Y + offs_n
    x = tl.load(x_block, mask=x_block_mask, other=0.0)
    tl.store(y_block, x.to(x_block.dtype.element_ty), mask=offs_n < n)


def run(x: torch.Tensor, step: int):
    """
    x: f32[n]
    step: 1 | 2
    """
    n = x.numel() // step
    y = x.new_empty(n)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, STEP=step)
    return y
