# expect: analysis leaves-its-buffer
"""Calls that begin at one place are tensors of their own; the new one is as long as the given."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2)


def launch(x):
    y = x.contiguous().clone().detach()
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
