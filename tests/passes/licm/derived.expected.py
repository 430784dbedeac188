"""What is made of the loaded values moves with them, a name that is bound twice included."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, m, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    # Without iterations of the loop below, nothing is loaded.
    w = tl.load(W + cols, mask=(cols < n) & (m > 0), other=1.0)
    w = w.to(tl.float32)
    w += 1.0
    half = w * 0.5  # of the weight
    for row in range(0, m):
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        tl.store(Out + row * n + cols, x * half, mask=cols < n)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(1,)](x, w, out, m, n, BLOCK=triton.next_power_of_2(n))
    return out
