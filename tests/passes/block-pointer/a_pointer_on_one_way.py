# expect: missed block-pointer-is-lost
"""A tile of pointers where the branch is not taken."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, C: tl.constexpr, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    if C:
        p = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    else:
        p = X + offs
    tl.store(Y + offs, tl.load(p), mask=offs < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, C=1, B=32)
    return y
