# options: programs=2
"""A helper that hands on the program id as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number."""
    return tl.program_id(axis)



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(axis=0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(axis=0), num_tiles, tl.num_programs(axis=0)):
        pid = tl.cast(tile, tl.int32)
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + pid, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    num_tiles = triton.cdiv(x.numel(), 64)
    kernel[(min(num_tiles, 2),)](x, out, x.numel(), BLOCK=64, NUM_TILES=num_tiles)
    return out
