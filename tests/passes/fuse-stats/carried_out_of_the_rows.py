# expect: missed loop-does-more
"""A name that the second sweep binds is read after the loop around both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, MEAN, VAR, LAST, M, N, BLOCK: tl.constexpr):
    last = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += x
        mean = tl.sum(total, axis=0) / N
        sq = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            last = tl.where(cols < N, x - mean, 0.0)
            sq += last * last
        var = tl.sum(sq, axis=0) / N
        tl.store(MEAN + row, mean)
        tl.store(VAR + row, var)
    tl.store(LAST + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), last)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    last = torch.zeros(32, device=x.device)
    kernel[(2,)](x, mean, var, last, m, n, BLOCK=16)
    return mean, var, last
