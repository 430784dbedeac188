# expect: missed type-changes
"""A loop that starts there would count in 64 bits, and so would all that it counts."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    for index in range(first, first + BLOCK):
        if index < N:
            tl.store(Y + index, tl.load(X + index) * 2)


def launch(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
