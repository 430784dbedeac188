"""The helper gives back the block pointer that it is given."""

import torch
import triton
import triton.language as tl


@triton.jit
def same(block):
    return block


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    other = same(x_block)
    x = tl.load(other, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x + 1, boundary_check=(0,))


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
