# expect: missed not-expressible
"""What was divided by is another number."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, flag, parts, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    part = n // flag
    for row in range(m):
        b = tl.load(B + n // parts)
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        tl.store(Out + (part + row) * n + cols, x * b, mask=mask)


def run(x, b, parts=1, flag=1):
    m, n = x.shape
    out = torch.empty(4 * m, n)
    kernel[(1,)](x, b, out, m, n, flag, parts, BLOCK=triton.next_power_of_2(n))
    return out
