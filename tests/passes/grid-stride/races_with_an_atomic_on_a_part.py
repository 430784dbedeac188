# expect: missed tiles-race
"""The last row is read by one tile, and every tile adds to it."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_rows_kernel(X, OUT, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.atomic_add(OUT + cols, x, mask=cols < N)


def add_into_last_row(x: torch.Tensor):
    m, n = x.shape
    add_rows_kernel[(m,)](x, x[m - 1], x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return x
