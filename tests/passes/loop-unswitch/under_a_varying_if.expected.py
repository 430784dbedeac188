# verify: no, asked_twice is verified, and has such an if
"""The condition around it changes with the tile, and stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    if flag > 0:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            if start > 0:
                acc += x
                acc += 1.0
    else:
        for start in range(0, n, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * n + cols, mask=cols < n, other=0.0)
            if start > 0:
                acc += x
    tl.store(Out + row * BLOCK + tl.arange(0, BLOCK), acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
