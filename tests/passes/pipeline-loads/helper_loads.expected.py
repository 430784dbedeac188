"""A helper loads the tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def tile_of(X, cols, N):
    return tl.load(X + cols, mask=cols < N, other=0.0)


@triton.jit
def row_sum(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=3):
        total += tile_of(X + row * N, start + tl.arange(0, BLOCK), N)
    tl.store(Y + row, tl.sum(total, axis=0))


def sums(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    row_sum[(m,)](x, y, n, BLOCK=64)
    return y
