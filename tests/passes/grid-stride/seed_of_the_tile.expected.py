# options: programs=2
"""Each tile has random numbers of its own, whichever program handles it."""

import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        random = tl.rand(seed + pid, offs)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(out_ptr + offs, tl.where(random > p, x / (1 - p), 0.0), mask=offs < n)


# tritonopt: x: f32[n], p: 0.5, seed: int in 0..1000
def dropout(x: torch.Tensor, p: float, seed: int):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    num_tiles = triton.cdiv(n, 64)
    dropout_kernel[(min(num_tiles, 2),)](
        x, out, n, p, seed, BLOCK=64, NUM_TILES=num_tiles
    )
    return out
