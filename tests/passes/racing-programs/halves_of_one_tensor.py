# expect: silent
"""Two slices of one tensor that share no element, and two that cannot be followed."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x, mask=offsets < N)


def halves(x: torch.Tensor):
    n = x.numel() // 2
    copy_kernel[(triton.cdiv(n, 64),)](x[:n], x[n:], n, BLOCK=64)


def every_other(x: torch.Tensor):
    n = x.numel() // 2
    copy_kernel[(triton.cdiv(n, 64),)](x[::2], x[1::2], n, BLOCK=64)


def one_row(x: torch.Tensor):
    n = x.shape[1]
    copy_kernel[(triton.cdiv(n, 64),)](x[1:], x[:1], n, BLOCK=64)
