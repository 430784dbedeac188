# options: programs=1
"""The tile's length has a name, and the row's is an attribute; two launches, each with its rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def norms_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = tl.zeros([BLOCK], dtype=tl.float32)
    squares = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.abs(x))
        squares += tl.sum(x * x)
    scale = tl.max(largest, axis=0)
    tl.store(Y + row, squares)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(X + row * N + cols, x / (scale + 1.0), mask=cols < N)


TILE = 1024


# tritonopt: x: f32[m, n]
def norms(x):
    x = x.contiguous()
    y = torch.empty(x.shape[0], device=x.device)
    # The largest may be 0.
    norms_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=TILE)
    return x, y


# tritonopt: x: f32[m, n]
def norms_of_halves(x):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(2 * m, device=x.device)
    if n % 2 == 0:
        norms_kernel[(2 * m,)](x, y, n // 2, 2048)
    return x, y
