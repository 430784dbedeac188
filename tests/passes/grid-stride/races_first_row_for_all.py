# expect: missed tiles-race
"""All rows read the first one, which its own program writes."""

import torch
import triton
import triton.language as tl


@triton.jit
def subtract_first_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    first = tl.load(X + cols, mask=cols < N)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x - first, mask=cols < N)


def subtract_first(x: torch.Tensor):
    m, n = x.shape
    subtract_first_kernel[(m,)](x, n, n, BLOCK=triton.next_power_of_2(n))
