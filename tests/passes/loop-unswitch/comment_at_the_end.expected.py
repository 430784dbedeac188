# verify: no, without_else is verified, and differs in its comments alone
"""The comment behind the last statement stays below the kernel, once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    if flag > 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < n)
            x = -x  # the other way round
            tl.store(Out + cols, x, mask=cols < n)
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + cols, mask=cols < n)
            tl.store(Out + cols, x, mask=cols < n)
        # Nothing is left to do.


def run(x, flag):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), flag, BLOCK=16)
    return out
