# expect: missed not-expressible
"""The offsets have another meaning in another loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        tl.store(Out + row * n + offs, 0.0, mask=offs < n)
    for i in range(0, 4):
        offs = tl.arange(0, BLOCK)
        w = tl.load(W + offs, mask=offs < n)
        tl.store(Out + row * n + offs, w + i, mask=offs < n)


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
