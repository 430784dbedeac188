# algebra: no, the clamp asks for the sign of a sum that the original divides tile by tile
"""The same, where every term is divided."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    squares = 0.0
    shifted = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += tl.sum(deviation, axis=0)
        squares += tl.sum(deviation * deviation, axis=0)
    mean = tl.sum(total, axis=0) / tl.maximum(N, 1)
    squares = squares - shifted * (shifted / tl.maximum(N, 1))
    squares = tl.where(squares < 0.0, 0.0, squares)  # rounding may take it just below zero
    squares = tl.where(N > 0, squares / N, 0.0)
    var = squares
    tl.store(Y + row, var)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
