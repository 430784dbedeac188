"""A comment stays right above its load; why both are masked is said once, above them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Scale, Bias, Out, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    # Without iterations of the loop below, nothing is loaded.
    # What the step multiplies by,
    # and what it adds.
    scale = tl.load(Scale + row, mask=m > 0)
    bias = tl.load(Bias + row, mask=m > 0)
    for step in range(m):
        # ---- One step ----
        at = (row * m + step) * n + cols
        x = tl.load(X + at, mask=cols < n, other=0.0)
        tl.store(Out + at, x * scale + bias, mask=cols < n)


# tritonopt: x: f32[r, m, n], scale: f32[r], bias: f32[r]
def run(x, scale, bias):
    rows, m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(rows,)](x, scale, bias, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out
