# expect: missed block-pointer-is-lost
"""The helper returns None otherwise."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr, C: tl.constexpr):
    if C:
        return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = block_of(X, n, pid * B, B, True)
    x = tl.load(x_block, boundary_check=(0,))
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
