# expect: missed under-a-condition
"""The mask is off where the last column is out of reach; the condition asks for the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, rows, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(m):
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if row < rows:
            x += tl.load(B + cols, mask=cols < rows, other=0.0)
        tl.store(Out + row * n + cols, x, mask=cols < n)


def run(x, b, rows=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(1,)](x, b, out, m, n, rows, BLOCK=triton.next_power_of_2(n))
    return out
