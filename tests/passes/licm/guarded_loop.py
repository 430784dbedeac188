"""The condition around the loop shows that it runs."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Scale, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * n
    if n > 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            scale = tl.load(Scale + row)
            tl.store(Out + row * n + cols, tl.load(X + cols, mask=cols < n) * scale, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[m]
def run(x, scale):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, scale, out, n, BLOCK=16)
    return out
