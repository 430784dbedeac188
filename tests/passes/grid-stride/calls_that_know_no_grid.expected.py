# options: programs=3
"""Functions of Triton's own that no pass follows, but that cannot tell programs apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, N: tl.constexpr, NUM_TILES=None):
    BLOCK: tl.constexpr = triton.next_power_of_2(N)
    kind = tl.dtype("fp32")
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n).to(kind)
        tl.store(out_ptr + offs, x + 1, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    num_tiles = triton.cdiv(n, 16)
    kernel[(min(num_tiles, 3),)](x, out, n, N=13, NUM_TILES=num_tiles)
    return out
