# options: longest=16,block=16
"""A program without a row leaves at once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / tl.sum(x * x, axis=0), mask=cols < N)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    _row_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        _row_sum += x * x
    row_sum = tl.sum(_row_sum, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + row * N + cols, x / row_sum, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m + 1,)](x, y, m, n, BLOCK=16)
    else:
        kernel[(m + 1,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y
