# expect: silent
"""No row gets a longer tile than 8192: there is a loop for the rest."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_max(Y, X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        best = tl.maximum(best, x)
    tl.store(Y + row, tl.max(best, axis=0))


def maxima(x):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32)
    row_max[(m,)](y, x, x.stride(0), n, BLOCK=min(8192, triton.next_power_of_2(n)))
    return y
