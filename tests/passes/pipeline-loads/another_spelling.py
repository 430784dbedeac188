"""The language has another name in this file."""

import torch
import triton
from triton import language as lang


@triton.jit
def row_sum(X, Y, N, BLOCK: lang.constexpr):
    row = lang.program_id(0)
    total = lang.zeros([BLOCK], dtype=lang.float32)
    for start in range(0, N, BLOCK):
        cols = start + lang.arange(0, BLOCK)
        total += lang.load(X + row * N + cols, mask=cols < N, other=0.0)
    lang.store(Y + row, lang.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y
