# verify: always
# with: loop-unswitch
"""Once the flag is loaded above the loop, so is the branch on it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Flag, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n)
        if tl.load(Flag) > 0.5:
            x = x + 1.0
        tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], flag: f32[1]
def run(x, flag):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, flag, out, n, BLOCK=16)
    return out
