# expect: silent
"""How long a row is is told by whoever calls the launcher."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


def launch(x, n):
    y = torch.empty_like(x)
    kernel[(x.numel() // n,)](x, y, n, n, BLOCK=1024)
    return y
