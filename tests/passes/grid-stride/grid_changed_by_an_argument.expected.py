# options: programs=2
"""What is passed is made by a function that changes what the grid was computed from."""

import torch
import triton
import triton.language as tl

count = 4
made = []


@triton.jit
def kernel(x, out, one, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs) + one)


def alloc(x):
    global count
    count = 1
    made.append(torch.zeros_like(x))
    return made[-1]


def run(x: torch.Tensor):
    global count
    count = 4
    x = torch.arange(64, device=x.device) + x.sum()
    num_tiles = count
    kernel[(min(num_tiles, 2),)](x, alloc(x), 1, BLOCK=16, NUM_TILES=num_tiles)
    return made[-1]
