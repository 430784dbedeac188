# options: programs=2
"""The number of programs says which tile is the last."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.cast(tl.num_programs(0) if NUM_TILES is None else NUM_TILES, tl.int32)
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        num_programs = num_tiles
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + offs, mask=offs < n)
        if pid == num_programs - 1:
            value = -value
        tl.store(out + offs, value, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    num_tiles = triton.cdiv(n, 16)
    kernel[(min(num_tiles, 2),)](x, out, n, BLOCK=16, NUM_TILES=num_tiles)
    return out
