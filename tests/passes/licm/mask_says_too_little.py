# expect: missed under-a-condition
"""The mask leaves lanes on where the condition does not hold."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, limit, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    cols = start + tl.arange(0, BLOCK)
    for row in range(m):
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row * BLOCK < limit:
            x += tl.load(B + cols, mask=cols < n, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, b, limit=20):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, b, out, m, n, limit, BLOCK=16)
    return out
