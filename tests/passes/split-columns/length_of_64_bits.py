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


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
