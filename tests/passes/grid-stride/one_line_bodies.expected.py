# options: programs=2
"""A guard in one line, and two statements in another that stay together."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        if not (pid * BLOCK >= n):
            offs = pid * BLOCK + tl.arange(0, BLOCK); mask = offs < n
            tl.store(out + offs, tl.load(x + offs, mask=mask), mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros_like(x)
    num_tiles = n // 16 + 1
    kernel[(min(num_tiles, 2),)](x, out, n, BLOCK=16, NUM_TILES=num_tiles)
    return out
