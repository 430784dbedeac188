# expect: silent
"""The mask ends rows of a tile, whose elements lie side by side along the other axis."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["M"])
def copy_tile(X, Y, M, BLOCK: tl.constexpr):
    rows, cols = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    x = tl.load(X + rows * BLOCK + cols, mask=rows < M)
    tl.store(Y + rows * BLOCK + cols, x, mask=rows < M)
