# expect: missed tiles-race
"""Both parameters are given parts of one tensor, one element apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x, mask=offsets < n)


def shift_left(x: torch.Tensor):
    n = x.numel() - 1
    rest = x.view(-1)[1:]
    copy_kernel[(triton.cdiv(n, 64),)](rest, x, n, BLOCK=64)
