# expect: missed tiles-race
"""One tensor of unknown size is passed for both, and each row reads the one that the next writes."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    below = tl.load(Y + (row + 1) * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + (row + 1) * N + cols, x + below, mask=cols < N)


def running_sums(m: int, n: int):
    x = torch.ones(m + 1, n)
    add_kernel[(m,)](x, x, n, BLOCK=32)
    return x
