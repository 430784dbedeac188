# expect: analysis hint-can-be-false
"""[BLOCK, 1] speaks of the rows, which are W apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(X, Y, W: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    tile = rows[:, None] * W + cols[None, :]
    tile = tl.max_contiguous(tile, [BLOCK, 1])
    tl.store(Y + tile, tl.load(X + tile))


def tiles(x: torch.Tensor):
    y = torch.empty_like(x)
    tile_kernel[(1,)](x, y, 128, 16, 16)
    return y
