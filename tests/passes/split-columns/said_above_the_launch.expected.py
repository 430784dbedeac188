# options: longest=16,block=16
"""What is said above the launch is said above the question."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(Y + row * N + cols, y, mask=mask)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _x_max = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
        _x_max = tl.maximum(_x_max, x)
    x_max = tl.max(_x_max, axis=0)
    _e_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
        e = tl.exp(x - x_max)
        _e_sum += e
    e_sum = tl.sum(_e_sum, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
        e = tl.exp(x - x_max)
        y = e / e_sum
        tl.store(Y + row * N + cols, y, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    # One program for each row.
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, y, n, BLOCK=16)
    else:
        kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
