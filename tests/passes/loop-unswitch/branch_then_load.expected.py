# verify: always
# with: licm
"""Once the branch is out of the loop, every iteration of one copy comes to the load."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Scale, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if flag > 0:
        scale = tl.load(Scale + row)
        for i in range(0, 2):
            cols = i * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n)
            x = x * scale
            tl.store(Out + row * n + cols, x, mask=cols < n)
    else:
        for i in range(0, 2):
            cols = i * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n)
            tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], scale: f32[m], flag: int in 0..1
def run(x, scale, flag):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, scale, out, n, flag, BLOCK=16)
    return out
