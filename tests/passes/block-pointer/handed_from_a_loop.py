"""Made anew in each iteration, and loaded through by its maker too."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(block):
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for start in range(0, n, B):
        x_block = tl.make_block_ptr(X, (n,), (1,), (start,), (B,), (0,))
        y_block = tl.make_block_ptr(Y, (n,), (1,), (start,), (B,), (0,))
        x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
        tl.store(y_block, x + loaded(x_block), boundary_check=(0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, n, B=32)
    return y
