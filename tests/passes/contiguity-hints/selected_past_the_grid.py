# expect: missed hint-can-be-false
"""The grid has a program more than there are blocks."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    safe = tl.where(offs < N, offs, 0)
    tl.store(Y + offs, tl.load(X + safe), mask=offs < N)


def scaled(x: torch.Tensor):
    n = x.numel()
    assert n % 64 == 0
    y = torch.empty_like(x)
    scale_kernel[(triton.cdiv(n, 64) + 1,)](x, y, n, BLOCK=64)
    return y
