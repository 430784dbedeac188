# options: programs=2
"""The name in the grid is bound again by what is passed after it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs) + n)


def run(x: torch.Tensor):
    x = torch.arange(160, device=x.device) + x.sum()
    out = torch.zeros_like(x)
    n = 5
    num_tiles = n
    kernel[(min(num_tiles, 2),)](x, out, n := n + 5, BLOCK=16, NUM_TILES=num_tiles)
    return out, n
