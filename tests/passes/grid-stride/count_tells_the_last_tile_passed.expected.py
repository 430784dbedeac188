# options: programs=2
"""Two launches start another number of tiles each; the number is converted."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.cast(tl.num_programs(0) if NUM_TILES is None else NUM_TILES, tl.int32)
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int64)
        offs = (num_tiles.to(tl.int64) - 1 - pid) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros_like(x)
    num_tiles = triton.cdiv(n, 16)
    kernel[(min(num_tiles, 2),)](x, out, n, BLOCK=16, NUM_TILES=num_tiles)
    kernel[(min(1, 2),)](x, out, n, BLOCK=32, NUM_TILES=1)
    return out
