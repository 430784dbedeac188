# expect: silent
"""The tile is a number of the kernel's own, and no longer than a program has threads."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["N"])
def double(X, Y, N):
    offsets = tl.program_id(0) * 64 + tl.arange(0, 64)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 64),)](x, y, x.numel())
    return y
