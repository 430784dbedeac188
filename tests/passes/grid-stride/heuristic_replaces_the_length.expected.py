# options: programs=2
"""In the kernel n is not what the launch passes for it."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"n": lambda arguments: arguments["n"] // 2})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    block = 64
    kernel[lambda META: (min(triton.cdiv(n, META["BLOCK"]), 2),)](
        x, out, n=n, BLOCK=block, NUM_TILES=triton.cdiv(n, block)
    )
    return out
