# expect: missed not-expressible
"""The mask is off where the loop does not run, but the division in the address would still run."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, period, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        cols = start + lanes
        w = tl.load(W + lanes % period, mask=lanes < n, other=0.0)
        x = tl.load(X + cols, mask=cols < n, other=0.0)
        tl.store(Out + cols, x * w, mask=cols < n)


def run(x, w, period):
    out = torch.empty_like(x)
    kernel[(1,)](x, w, out, x.numel(), period, BLOCK=16)
    return out
