# options: programs=3
"""A tile adds one number: allowed, and slower as a rule."""

import torch
import triton
import triton.language as tl


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
    out_sum = 0.0
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offsets = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
        out_sum += tl.sum(x, axis=0).to(tl.float32)
    tl.atomic_add(out_ptr, out_sum)


def total(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    num_tiles = triton.cdiv(n, 64)
    total_kernel[(min(num_tiles, 3),)](x, out, n, BLOCK=64, NUM_TILES=num_tiles)
    return out
