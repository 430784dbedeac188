# verify: no, without_else is verified, and is copied alike
"""A part of the condition is known to the compiler: it moves as it is written."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Bias, Out, n, flag, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if HAS_BIAS and flag > 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n)
            x += tl.load(Bias + cols, mask=cols < n)
            tl.store(Out + row * n + cols, x, mask=cols < n)
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n)
            tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], bias: f32[n], flag: int in 0..1
def run(x, bias, flag):
    out = torch.empty_like(x)
    m, n = x.shape
    kernel[(m,)](x, bias, out, n, flag, HAS_BIAS=True, BLOCK=16)
    return out
