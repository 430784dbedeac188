# expect: silent
"""No launch takes the side without a mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if WHOLE:
        tl.store(Y + offsets, tl.load(X + offsets) * 2)
    else:
        tl.store(Y + offsets, tl.load(X + offsets, mask=offsets < N) * 2, mask=offsets < N)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, WHOLE=False, BLOCK=64)
    return y
