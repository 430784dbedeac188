# expect: silent
"""What is read beyond the row is thrown away, as the mask of the store shows."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols)
    tl.store(X + row * stride + cols, x * 2, mask=cols < N)


def scale(x: torch.Tensor):
    m, n = x.shape
    scale_kernel[(m,)](x, n, n, BLOCK=triton.next_power_of_2(n))
