# expect: missed not-expressible
"""`max` is the reduction of triton.language, imported under that name."""

import torch
import triton
from triton.language import load, store, arange, zeros, where, sum, program_id, float32, constexpr, max

@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: constexpr):
    row = program_id(0)
    X += row * N
    total = zeros([BLOCK], dtype=float32)
    for start in range(0, N, BLOCK):
        cols = start + arange(0, BLOCK)
        x = load(X + cols, mask=cols < N, other=0.0).to(float32)
        total += x
    mean = sum(total, axis=0) / N
    sq = zeros([BLOCK], dtype=float32)
    for start in range(0, N, BLOCK):
        cols = start + arange(0, BLOCK)
        x = load(X + cols, mask=cols < N, other=0.0).to(float32)
        d = where(cols < N, x - mean, 0.0)
        sq += d * d
    var = sum(sq, axis=0) / N
    store(MEAN + row, mean)
    store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var
