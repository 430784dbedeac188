# options: longest=16,block=16
"""What is said of the lanes stays with them: the columns are counted from the tile's begin."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / tl.sum(x, axis=0), mask=mask)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _x_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        _x_sum += x
    x_sum = tl.sum(_x_sum, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row * N + cols, x / x_sum, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, n), dtype=torch.float32, device=x.device)
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, y, n, BLOCK=16)
    else:
        kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
