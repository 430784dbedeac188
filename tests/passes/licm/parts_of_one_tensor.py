# expect: missed data-may-change
"""What is loaded and what is stored are parts of one tensor that the launcher made."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(X, W, Y, rows, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        w = tl.load(W + cols, mask=cols < n)
        x = tl.load(X + row * n + cols, mask=cols < n)
        tl.store(Y + row * n + cols, x * w, mask=cols < n)


def scale(x: torch.Tensor):
    rows, n = x.shape
    y = torch.empty(rows * n + 1)
    later = y[1:]
    scale_kernel[(4,)](x, y[:-1], later, rows, n, BLOCK=64)
    return y
