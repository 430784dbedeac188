# options: programs=3
"""Offsets reach past 32 bits, so the number of tiles is computed without rounding n up first."""

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), (n - 1) // BLOCK + 1, tl.num_programs(0)):
        pid = tl.cast(tile, tl.int64)
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    out = torch.empty_like(x)
    n = x.numel()
    kernel[lambda META: (min(triton.cdiv(n, META["BLOCK"]), 3),)](x, out, n)
    return out
