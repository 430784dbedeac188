# expect: silent
"""The number of the tile is below that of the whole tiles."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    tile = tl.program_id(0) % (N // BLOCK)
    src = (tile * BLOCK + tl.arange(0, BLOCK)) % N
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + src, tl.load(X + src))
