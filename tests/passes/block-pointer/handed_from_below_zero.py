"""One call begins before the tensor: only there an offset is below 0, and the helper asks."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(block, B: tl.constexpr):
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    before = tl.make_block_ptr(X, (n,), (1,), (pid * B - 1,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block, B) - loaded(before, B), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
