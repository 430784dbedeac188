# options: longest=16,block=16
"""A weight and a bias of each column, where there are any."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, N, HAS_WEIGHT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-5)
    y = x * rstd
    if HAS_WEIGHT:
        # One for each column.
        y = y * tl.load(W + cols, mask=mask, other=0.0)
    tl.store(Y + row * N + cols, y, mask=mask)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, W, Y, N, HAS_WEIGHT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _rstd = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        _rstd += x * x
    rstd = 1 / tl.sqrt(tl.sum(_rstd, axis=0) / N + 1e-5)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        y = x * rstd
        if HAS_WEIGHT:
            # One for each column.
            y = y * tl.load(W + cols, mask=mask, other=0.0)
        tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n], weighted: bool
def run(x: torch.Tensor, w: torch.Tensor, weighted: bool):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, w, y, n, HAS_WEIGHT=weighted, BLOCK=16)
    else:
        kernel[(m,)](x, w, y, n, HAS_WEIGHT=weighted, BLOCK=triton.next_power_of_2(n))
    return y
