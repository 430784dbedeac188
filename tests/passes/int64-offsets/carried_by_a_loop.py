# expect: missed type-changes
"""The offset is carried, and another one would be of another type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offset = row * stride
    cols = tl.arange(0, BLOCK)
    for start in range(0, N, BLOCK):
        x = tl.load(X + offset + cols, mask=start + cols < N, other=0.0)
        tl.store(Y + offset + cols, x * 2, mask=start + cols < N)
        offset += BLOCK


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y
