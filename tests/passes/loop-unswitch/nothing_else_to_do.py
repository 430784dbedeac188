"""Without the branch the loop does nothing that anybody could see, so there is no second copy."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * n + cols, mask=cols < n)
        if flag > 0:
            tl.store(Out + row * n + cols, x + 1.0, mask=cols < n)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    out = torch.zeros_like(x)
    m, n = x.shape
    kernel[(m,)](x, out, n, flag, BLOCK=32)
    return out
