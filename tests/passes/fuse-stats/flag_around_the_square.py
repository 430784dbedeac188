# expect: missed loop-does-more
"""By a flag, the second sweep stores something too."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, N, KEEPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    mean = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        d = tl.where(cols < N, x - mean, 0.0)
        squares += d * d
        if KEEPS:
            tl.store(Z + row * N + cols, d, mask=cols < N)
    var = tl.sum(squares, axis=0) / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    z = torch.empty_like(x)
    kernel[(m,)](x, z, y, n, True, BLOCK=16)
    return y
