# expect: silent
"""Every launch takes the side whose lanes are defined."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, PADDED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if PADDED:
        x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf"))
    else:
        x = tl.load(X + row * N + cols, mask=cols < N)
    tl.store(Y + row, tl.max(x, axis=0))


def launch(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, PADDED=True, BLOCK=triton.next_power_of_2(n))
    return y
