"""A constant of the kernel, annotated as one, is known like a parameter."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, B, Out, m, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    WIDE: tl.constexpr = KIND > 1
    if WIDE:
        # Without iterations of the loop below, nothing is loaded.
        b = tl.load(B + cols, mask=mask & (tl.program_id(0) < m), other=0.0)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        x = tl.load(X + row * n + cols, mask=mask, other=0.0)
        if WIDE:
            x += b
        tl.store(Out + row * n + cols, x, mask=mask)


# tritonopt: x: f32[m, n], b: f32[n]
def run(x, b):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(2,)](x, b, out, m, n, KIND=2, BLOCK=triton.next_power_of_2(n))
    return out
