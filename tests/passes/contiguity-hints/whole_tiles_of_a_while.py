# expect: silent
"""The loop ends before a tile that would wrap."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    while tile * BLOCK + BLOCK <= N:
        src = (tile * BLOCK + tl.arange(0, BLOCK)) % N
        src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
        tl.store(Y + src, tl.load(X + src))
        tile += tl.num_programs(0)
