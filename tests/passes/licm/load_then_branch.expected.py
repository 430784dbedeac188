# verify: always
# with: loop-unswitch
"""Once the flag is loaded above the loop, so is the branch on it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Flag, Out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # Without iterations of the loop below, nothing is loaded.
    flag = tl.load(Flag, mask=n > 0) > 0.5
    if flag:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n)
            x = x + 1.0
            tl.store(Out + row * n + cols, x, mask=cols < n)
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n)
            tl.store(Out + row * n + cols, x, mask=cols < n)


# tritonopt: x: f32[m, n], flag: f32[1]
def run(x, flag):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, flag, out, n, BLOCK=16)
    return out
