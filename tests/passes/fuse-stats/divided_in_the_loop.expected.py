# algebra: no, the clamp asks for the sign of a sum that the original divides tile by tile
"""Every addition is divided by N, so that an empty row stays 0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, MEAN, VAR, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    sq = 0.0
    shifted = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += tl.sum(deviation, axis=0)
        sq += tl.sum(deviation * deviation, axis=0)
    mean = tl.sum(total, axis=0) / N
    sq = sq - shifted * (shifted / tl.maximum(N, 1))
    sq = tl.where(sq < 0.0, 0.0, sq)  # rounding may take it just below zero
    sq = tl.where(N > 0, sq / N, 0.0)
    var = sq
    tl.store(MEAN + row, mean)
    tl.store(VAR + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    mean = torch.zeros(m, device=x.device)
    var = torch.zeros(m, device=x.device)
    kernel[(m,)](x, mean, var, n, BLOCK=16)
    return mean, var
