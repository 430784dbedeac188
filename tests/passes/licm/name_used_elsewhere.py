"""Another loop has the same name for a tile of its own; a third carries it to the next iteration."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        w = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Out + row * n + cols, w, mask=cols < n)
    for i in range(0, 3):
        w = tl.load(W + row)  # one number
        tl.store(Out + row * n + i, w + i, mask=i < n)
    before = 0.0
    for i in range(0, 3):
        tl.store(Out + row * n + i, before, mask=i + 3 < n)
        before = tl.load(W + row)


# tritonopt: x: f32[m, n], w: f32[m]
def run(x, w):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, BLOCK=16)
    return out
