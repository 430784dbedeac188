# verify: always
"""What the condition is made of is bound in the loop, and moves above it with its comment."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        last = tl.num_programs(0) - 1
        # The last row is special.
        special = row == last  # where flag says so
        x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
        if special & (flag > 0):
            x = -x
        acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
