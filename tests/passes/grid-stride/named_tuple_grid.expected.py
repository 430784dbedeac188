# options: programs=2
"""The grid is a tuple with a name, made before the launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_rows(src, dst, n_cols, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for r in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        for c in range(0, n_cols, BLOCK):
            offs = c + tl.arange(0, BLOCK)
            tl.store(dst + r * n_cols + offs, tl.load(src + r * n_cols + offs, mask=offs < n_cols), mask=offs < n_cols)


def copy(x: torch.Tensor):
    x = x.contiguous()
    rows, cols = x.shape
    out = torch.empty_like(x)
    grid = (rows, 1)
    copy_rows[(min(grid[0], 2), *grid[1:])](
        x,
        out,
        cols,
        BLOCK=16,  # several to a row
        NUM_TILES=grid[0],
    )
    return out
