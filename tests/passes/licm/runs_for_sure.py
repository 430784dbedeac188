# verify: no, branch_then_load is verified, and its load moves for the same reason
"""The loop has a fixed number of iterations, so no mask is needed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Scale, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for part in tl.range(0, 4, num_stages=2):
        cols = part * BLOCK + tl.arange(0, BLOCK)
        scale = tl.load(Scale)
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, x * scale, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[1]
def run(x, scale):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, scale, out, n, BLOCK=16)
    return out
