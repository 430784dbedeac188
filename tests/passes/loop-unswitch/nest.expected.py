# verify: always
"""The condition moves out of both loops; an inner one goes with the copies."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, m, n, flag, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    if flag == 1:
        for row in range(tl.program_id(0), m, tl.num_programs(0)):
            base = X + row * n
            for start in range(0, n, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                x = tl.load(base + cols, cols < n, 0.0)
                x = x.to(tl.float32) * row
                acc = acc + x
    else:
        for row in range(tl.program_id(0), m, tl.num_programs(0)):
            base = X + row * n
            for start in range(0, n, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                x = tl.load(base + cols, cols < n, 0.0)
                acc = acc + x
    tl.store(Out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(2, 16, device=x.device)
    kernel[(2,)](x, out, m, n, flag, BLOCK=16)
    return out
