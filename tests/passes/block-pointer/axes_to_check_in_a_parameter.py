# expect: missed block-pointer-is-lost
"""Which axes are checked is told at the launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, AXES: tl.constexpr, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    tl.store(Y + tl.arange(0, B), tl.load(x_block, boundary_check=AXES), mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, AXES=(0,), B=32)
    return y
