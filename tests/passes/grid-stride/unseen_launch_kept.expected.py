# options: unseen_launches=keep
# verify: no, there is no launcher
"""Nobody is seen to launch it: without the new argument all is as before."""

import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, value, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + offs, value, mask=offs < n)
