# verify: always
"""A maximum is the same in whatever order."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_max(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
        total = tl.maximum(total, x)
    tl.store(Y + row, tl.max(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_max[(m,)](x, y, n, BLOCK=1024)
    return y
