# expect: missed may-run-zero-times
"""The loop may count up or down."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, step, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    for row in range(0, m, step):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        x += tl.load(B + cols, mask=mask, other=0.0)
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, 1, BLOCK=triton.next_power_of_2(n))
    return out
