# expect: missed type-changes
"""The offset is stored as well."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, I, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offset = row * stride
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + offset + cols, mask=cols < N, other=0.0)
    tl.store(Y + offset + cols, x * 2, mask=cols < N)
    tl.store(I + row, offset)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    i = torch.empty((m,), dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, i, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, i
