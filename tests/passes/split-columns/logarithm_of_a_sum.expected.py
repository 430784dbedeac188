# options: longest=16,block=16
"""A reduction within another one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
    top = tl.sum(tl.exp(x - tl.max(x, axis=0)), axis=0)
    tl.store(Y + row, tl.log(top))


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
    _top = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
        _top += tl.exp(x - x_max)
    top = tl.sum(_top, axis=0)
    tl.store(Y + row, tl.log(top))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, y, n, BLOCK=16)
    else:
        kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
