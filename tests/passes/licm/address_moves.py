# expect: unchanged
"""The address is the same name in every iteration, and another place."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        w = tl.load(W)
        tl.store(Out + row * n + start, w, mask=start < n)
        W += BLOCK


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
