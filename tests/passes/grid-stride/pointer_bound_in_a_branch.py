# options: programs=2
"""A pointer that only some rows move on starts afresh for each."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_odd_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row % 2 == 1:
        X += N
    X = X + row // 2 * 2 * N
    cols = tl.arange(0, BLOCK)
    tl.store(Y + row * N + cols, tl.load(X + cols, mask=cols < N), mask=cols < N)


def copy_rows(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    y = torch.empty_like(x)
    shift_odd_kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
