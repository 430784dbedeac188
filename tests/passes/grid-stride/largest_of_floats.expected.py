# options: programs=2
"""Of floats the largest depends on what is done with NaN; of sums in between nothing is known."""

import torch
import triton
import triton.language as tl


@triton.jit
def largest_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
        tl.atomic_max(out_ptr, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def largest(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    largest_kernel[(min(num_tiles, 2),)](x, out, n, BLOCK=16, NUM_TILES=num_tiles)
    return out
