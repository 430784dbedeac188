# verify: counterexample, it loses digits when the mean is large
# options: formula=moments
"""Without a first tile the flag needs no second place."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, R, Y, N, HAS_RESIDUAL: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    R += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # Sum and squares in one loop: sum (x - mean)^2 = sum x^2 - (sum x)^2 / n.
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        if HAS_RESIDUAL:
            x += tl.load(R + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        value = x
        squares += value * value
    mean = tl.sum(total, axis=0) / N
    m2 = tl.sum(squares, axis=0) - tl.sum(total, axis=0) * (tl.sum(total, axis=0) / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    var = m2 / N
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n], r: f32[m, n]
def run(x, r):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, r, y, n, True, BLOCK=16)
    return y
