# options: programs=3
"""A seed, a filled block and what is computed from the id must be tensors, interpreted too."""

import torch
import triton
import triton.language as tl


@triton.jit
def noise_kernel(out_ptr, n, seed, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int32)
        start = pid * BLOCK
        offs = start.to(tl.int64) + tl.arange(0, BLOCK)
        whole = tl.full([BLOCK], pid, tl.int32) + tl.broadcast_to(start, [BLOCK])
        random = tl.rand(seed, pid) > 2.0
        half = (pid - 3) // 2
        value = tl.where(random, 0, whole + half)
        tl.store(out_ptr + offs, value, mask=offs < n)


# tritonopt: x: i32[n], seed: int in 0..1000
def noise(x: torch.Tensor, seed: int):
    out = torch.empty_like(x)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    noise_kernel[(min(num_tiles, 3),)](out, n, seed, BLOCK=16, NUM_TILES=num_tiles)
    return out
