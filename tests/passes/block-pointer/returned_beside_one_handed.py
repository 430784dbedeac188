"""One helper makes it, and another one gets one."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


@triton.jit
def doubled(block):
    return tl.load(block, boundary_check=(0,)) * 2


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = block_of(Y, n, pid * B, B)
    tl.store(y_block, doubled(x_block), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
