"""The divisor was divided by before the loop: by zero, nothing would come to it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, parts, BLOCK: tl.constexpr):
    part = tl.program_id(0) % parts
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    # Without iterations of the loop below, nothing is loaded.
    b = tl.load(B + tl.program_id(0) // parts, mask=m > 0)
    for row in range(m):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        tl.store(Out + (part * m + row) * n + cols, x * b, mask=mask)


# tritonopt: x: f32[m, n], b: f32[2]
def run(x, b):
    m, n = x.shape
    out = torch.empty(2, m, n)
    kernel[(2,)](x, b, out, m, n, 2, BLOCK=triton.next_power_of_2(n))
    return out
