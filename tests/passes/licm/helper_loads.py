# verify: always
"""A helper loads; the call moves as it stands."""

import torch
import triton
import triton.language as tl


@triton.jit
def read(p, cols, n):
    return tl.load(p + cols, mask=cols < n, other=0.0)


@triton.jit
def kernel(X, W, Out, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(0, 3):
        w = read(W, cols, n) + 1.0
        x = read(X + row * n, cols, n)
        tl.store(Out + row * n + cols, x * w, mask=(cols < n) & (row < m))


# tritonopt: x: f32[3, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(1,)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out
