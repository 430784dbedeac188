# verify: always
# options: programs=3
"""A helper takes the program id and asks for its type."""

import torch
import triton
import triton.language as tl


@triton.jit
def offsets_of(pid, BLOCK: tl.constexpr):
    return pid.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def negate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int32)
        offs = offsets_of(pid, BLOCK)
        tl.store(out_ptr + offs, -tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


def negate(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    negate_kernel[(min(num_tiles, 3),)](x, out, n, 16, NUM_TILES=num_tiles)
    return out
