# expect: analysis reads-what-others-write
"""Every program reads the sums of all programs, whether they are there or not."""

import torch
import triton
import triton.language as tl

@triton.jit
def k(X, P, Y, n, G: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    o = i * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + o, mask=o < n, other=0.0)
    tl.store(P + i, tl.sum(x, 0))
    s = tl.sum(tl.load(P + tl.arange(0, G)), 0)
    tl.store(Y + o, x / s, mask=o < n)


def norm(x):
    n = x.numel()
    p = torch.zeros(1024, device=x.device)
    y = torch.empty_like(x)
    k[(triton.cdiv(n, 1024),)](x, p, y, n, G=1024, BLOCK=1024)
    return y
