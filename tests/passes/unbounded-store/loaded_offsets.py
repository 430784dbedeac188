# expect: silent
"""Where it stores is loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, I, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    index = tl.load(I + offsets, mask=mask, other=0)
    tl.store(Y + index, tl.load(X + offsets, mask=mask), mask=mask)


def launch(x, index):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, index, y, n, BLOCK=64)
    return y
