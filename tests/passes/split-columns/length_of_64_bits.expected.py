# options: longest=16,block=16
"""A length of 64 bits does not widen the places in the row, which may wrap around."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N: tl.int64, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    total = tl.sum(x, axis=0)
    tl.store(Y + row * N + cols, x * total * (cols + 2147483647), mask=cols < N)


# kernel for long rows, tile by tile.
@triton.jit
def kernel_long(X, Y, N: tl.int64, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    _total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, tl.cast(N, tl.int32), BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        _total += x
    total = tl.sum(_total, axis=0)
    for start in range(0, tl.cast(N, tl.int32), BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + row * N + cols, x * total * (cols + 2147483647), mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    if triton.next_power_of_2(n) > 16:
        kernel_long[(m,)](x, y, n, BLOCK=16)
    else:
        kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
