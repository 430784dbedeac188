# expect: silent
"""Both halves of a row are read and written by its own program."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotate_kernel(X, stride, HALF: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    a = tl.load(X + row * stride + cols, mask=cols < HALF)
    b = tl.load(X + row * stride + HALF + cols, mask=cols < HALF)
    tl.store(X + row * stride + cols, -b, mask=cols < HALF)
    tl.store(X + row * stride + HALF + cols, a, mask=cols < HALF)


def rotate(x: torch.Tensor):
    m, n = x.shape
    assert n % 2 == 0
    rotate_kernel[(m,)](x, n, n // 2, BLOCK=triton.next_power_of_2(n // 2))
