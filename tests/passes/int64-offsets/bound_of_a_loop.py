# expect: missed type-changes
"""Each program goes through a part: the loop begins at a number that wraps around already."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, N, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0) * SIZE
    for start in range(first, first + SIZE, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < N
        tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    double[(triton.cdiv(n, 8192),)](x, y, n, SIZE=8192, BLOCK=1024)
    return y
