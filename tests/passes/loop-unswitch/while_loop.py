"""A while loop is copied as any other."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    start = 0
    while start < n:
        x = tl.load(X + row * n + start + lanes, mask=start + lanes < n, other=0.0)
        if flag != 0:
            acc += x
        start += BLOCK
    tl.store(Out + row * BLOCK + lanes, acc)


# tritonopt: x: f32[m, n], flag: int in 0..1
def run(x, flag):
    m, n = x.shape
    out = torch.empty(m, 16, device=x.device)
    kernel[(m,)](x, out, n, flag, BLOCK=16)
    return out
