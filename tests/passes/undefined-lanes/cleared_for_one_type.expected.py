"""The lanes are cleared on one side alone, and either is taken whatever the length is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, CLEARED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.exp(tl.load(X + row * N + cols, mask=cols < N, other=float("-inf")))
    if CLEARED:
        x = tl.where(cols < N, x, 0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    whole = x.dtype == torch.float32
    kernel[(m,)](x, y, n, CLEARED=whole, BLOCK=triton.next_power_of_2(n))
    return y
