# expect: silent
"""No tile holds so long a row, and there is one only."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + cols, x * 2, mask=cols < N)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(1,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
