# options: programs=3
"""A tensor is divided toward zero, a Python number down."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(out_ptr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int32)
        tl.store(out_ptr + pid, (pid - 3) // 2)


# tritonopt: x: i32[n]
def shift(x: torch.Tensor):
    out = torch.empty_like(x)
    shift_kernel[(min(x.numel(), 3),)](out, NUM_TILES=x.numel())
    return out
