# verify: always
"""Two conditions make four copies, one after the other, while they are few statements."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    if flag > 0:
        if row > 1:
            for i in range(n):
                x = tl.load(X + row * n + i)
                x = x * 2.0
                x = x + 1.0
                total += x
        else:
            for i in range(n):
                x = tl.load(X + row * n + i)
                x = x * 2.0
                total += x
    else:
        if row > 1:
            for i in range(n):
                x = tl.load(X + row * n + i)
                x = x + 1.0
                total += x
        else:
            for i in range(n):
                x = tl.load(X + row * n + i)
                total += x
    tl.store(Out + row * BLOCK, total)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
