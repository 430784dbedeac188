# expect: missed loop-options
"""The author has said that nothing moves out of the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    for start in tl.range(0, n, BLOCK, disable_licm=True):
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        x *= tl.load(W + row)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
