# options: programs=2
"""A tile is numbered along two axes, by the number of programs of the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.cast(tl.num_programs(0) if NUM_TILES is None else NUM_TILES, tl.int32)
    for tile_2 in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        tile = tl.program_id(1) * num_tiles + tile_2
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    num_tiles = triton.cdiv(n, 32)
    kernel[(min(num_tiles, 2), 2)](x, out, n, BLOCK=16, NUM_TILES=num_tiles)
    return out
