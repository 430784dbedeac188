# options: programs=2
"""A tile that is done with a store leaves."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        if pid == 0:
            tl.store(out + offs, 0.0, mask=offs < n)
        else:
            tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    num_tiles = triton.cdiv(x.numel(), 64)
    kernel[(min(num_tiles, 2),)](x, out, x.numel(), BLOCK=64, NUM_TILES=num_tiles)
    return out
