# verify: always
# options: longest=16,block=16
"""Mean, then variance, then the row: three loops."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(mask, x - mean, 0.0)
    # The biased variance.
    var = tl.sum(d * d, axis=0) / N
    y = d / tl.sqrt(var + 1e-5)
    tl.store(Y + row * N + cols, y, mask=mask)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _mean = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        _mean += x
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        d = tl.where(mask, x - mean, 0.0)
        _var += d * d
    # The biased variance.
    var = tl.sum(_var, axis=0) / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        d = tl.where(mask, x - mean, 0.0)
        y = d / tl.sqrt(var + 1e-5)
        tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, y, n, BLOCK=16)
    else:
        kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
