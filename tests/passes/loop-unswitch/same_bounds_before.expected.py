# verify: no, the question is one of types, and the compiler is asked
"""An earlier loop counts with the same name over the same range, so with the same type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for i in range(0, n):
        total += tl.load(X + row * n + i)
    if flag > 0:
        for i in range(0, n):
            total = total * 0.5
    else:
        for i in range(0, n):
            total += 1.0
    tl.store(Out + row * BLOCK, total)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.zeros(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
