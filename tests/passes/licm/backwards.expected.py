# verify: always
"""A loop that counts down runs where it starts above its end."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, last, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    # Without iterations of the loop below, nothing is loaded.
    b = tl.load(B + cols, mask=mask & (last >= 0), other=0.0)
    for row in range(last, -1, -1):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        x += b
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, m - 1, BLOCK=triton.next_power_of_2(n))
    return out
