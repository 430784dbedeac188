# options: programs=2
"""Both parameters are given parts of one tensor that have no element in common."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(X, Y, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < n)
        tl.store(Y + offsets, x, mask=offsets < n)


# tritonopt: x: f32[2 * n]
def repeat(x: torch.Tensor):
    n = x.numel() // 2
    num_tiles = triton.cdiv(n, 16)
    copy_kernel[(min(num_tiles, 2),)](x[:n], x[n:], n, BLOCK=16, NUM_TILES=num_tiles)
    return x
