# options: longest=16,block=16
"""A tile has one name before and after it is changed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    x = x * 2.0
    x += 1.0
    x = tl.where(mask, x, 0.0)
    y = x / tl.sum(x * x, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _row_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        x = x * 2.0
        x += 1.0
        x = tl.where(mask, x, 0.0)
        _row_sum += x * x
    row_sum = tl.sum(_row_sum, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        x = x * 2.0
        x += 1.0
        x = tl.where(mask, x, 0.0)
        y = x / row_sum
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
