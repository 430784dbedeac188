"""A comment above both the start of a sum and its loop stays; one of the loop alone goes with it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_cols = tl.arange(0, BLOCK)
    first_x = tl.load(X + row * N + first_cols, mask=first_cols < N, other=0.0).to(tl.float32)
    shift = tl.sum(first_x, axis=0) / tl.maximum(tl.minimum(N, BLOCK), 1)
    squares = 0.0
    shifted = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
        deviation = tl.where(cols < N, x - shift, 0.0)
        shifted += tl.sum(deviation, axis=0)
        squares += tl.sum(deviation * deviation, axis=0)
    mean = total / N
    # How far they are from it.
    squares = squares - shifted * (shifted / tl.maximum(N, 1))
    squares = tl.where(squares < 0.0, 0.0, squares)  # rounding may take it just below zero
    # The result.
    tl.store(Y + row, squares / N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
