# expect: missed accumulator-is-read
"""The second accumulator is summed by a helper that also stores: the call may not go."""

import torch
import triton
import triton.language as tl


@triton.jit
def total_of(v, SEEN):
    tl.store(SEEN, 1.0)
    return tl.sum(v, axis=0)


@triton.jit
def kernel(X, MEAN, VAR, SEEN, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        sq += d * d
    var = total_of(sq, SEEN + row) / N
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    seen = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, seen, n, BLOCK=16)
    return mean, var, seen
