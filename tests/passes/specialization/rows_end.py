# expect: silent
"""The mask ends rows of a tile, whose elements lie side by side along the other axis."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_tile(X, Y, M: int, BLOCK: tl.constexpr):
    rows, cols = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * BLOCK + cols, mask=rows < M)
    tl.store(Y + rows * BLOCK + cols, x, mask=rows < M)
