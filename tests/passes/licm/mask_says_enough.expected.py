"""Where no lane of the mask is on, the loop does not run either."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    first = tl.load(W + lanes, mask=lanes < n, other=0.0)
    for i in range(0, tl.cdiv(n, BLOCK)):
        cols = i * BLOCK + lanes
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, x + first, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=16)
    return out
