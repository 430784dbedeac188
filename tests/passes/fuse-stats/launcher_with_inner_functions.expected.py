"""A launcher with a lambda for its grid; Y is its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, MEAN, VAR, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    shifted = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += deviation
        sq += deviation * deviation
    mean = tl.sum(total, axis=0) / N
    tl.store(Y + row * N, 7.0 * row + mean)
    shifted_sum = tl.sum(shifted, axis=0)
    m2 = tl.sum(sq, axis=0) - shifted_sum * (shifted_sum / N)
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    var = m2 / N
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty_like(x)
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, y, n, BLOCK=16)
    return mean, var
