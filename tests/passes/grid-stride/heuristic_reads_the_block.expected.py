# verify: always
# options: programs=3
"""A heuristic reads the block and the length, and sets neither; the grid names the block."""

import torch
import triton
import triton.language as tl

UNROLL = 2


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int64)
        for part in tl.static_range(2):
            offs = (pid * 2 + part) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) + 1, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    grid = lambda meta: (min(triton.cdiv(n, meta["BLOCK"] * UNROLL), 3),)
    kernel[grid](x, out, n=n, BLOCK=16, NUM_TILES=triton.cdiv(n, 16 * UNROLL))
    return out
