# expect: missed not-expressible
"""The file has names for a few functions, and none for `tl.range`."""

import torch
import triton
from triton.language import arange, constexpr, float32, load, program_id, store, sum, zeros


@triton.jit
def row_sum(X, Y, N, BLOCK: constexpr):
    row = program_id(0)
    total = zeros([BLOCK], dtype=float32)
    for start in range(0, N, BLOCK):
        cols = start + arange(0, BLOCK)
        total += load(X + row * N + cols, mask=cols < N, other=0.0)
    store(Y + row, sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y
