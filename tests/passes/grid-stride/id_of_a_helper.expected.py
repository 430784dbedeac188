# options: programs=2
"""A helper that does nothing but ask for the program id, which gets 64 bits."""

import torch
import triton
import triton.language as tl


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(axis).to(tl.int64)



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int64)
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        if pid == 0:
            tl.store(out + offs, 7.0, mask=offs < n)
        else:
            again = pid * 2 - tl.cast(tile, tl.int64)
            tl.store(out + offs, tl.load(x + offs, mask=offs < n) + again % 3, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    num_tiles = triton.cdiv(x.numel(), 64)
    kernel[(min(num_tiles, 2),)](x, out, x.numel(), BLOCK=64, NUM_TILES=num_tiles)
    return out
