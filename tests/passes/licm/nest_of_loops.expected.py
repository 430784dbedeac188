"""Out of both loops, from the middle of the inner one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Scale, Out, m, n, BLOCK: tl.constexpr):
    # Without iterations of the loop below, nothing is loaded.
    # One number for all.
    s = tl.load(Scale, mask=n > 0)
    for row in range(0, 3):
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            mask = (cols < n) & (row < m)
            x = tl.load(X + row * n + cols, mask=mask)
            tl.store(Out + row * n + cols, x / s, mask=mask)


# tritonopt: x: f32[m, n], scale: f32[1]
def run(x, scale):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(1,)](x, scale, out, m, n, BLOCK=16)
    return out
