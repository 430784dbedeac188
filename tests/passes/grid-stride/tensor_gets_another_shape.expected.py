# options: programs=2
"""The argument changes the size that the grid was."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, rows, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs) + rows)


def run(x: torch.Tensor):
    x = (torch.arange(64, device=x.device) + x.sum()).view(4, 16)
    out = torch.zeros_like(x)
    num_tiles = x.shape[0]
    kernel[(min(num_tiles, 2),)](
        x.unsqueeze_(0), out, x.shape[0], BLOCK=16, NUM_TILES=num_tiles
    )
    return out
