# expect: missed type-changes
"""On the other side it has 32 bits, and Triton takes no two types."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    offset = row
    if M > 1:
        offset = row * stride
    x = tl.load(X + offset + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x * 2, mask=cols < N)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y
