# options: programs=3
"""The compiler decides where the helper returns."""

import torch
import triton
import triton.language as tl


@triton.jit
def activated(x, bias, ACTIVATION: tl.constexpr):
    if bias is None:
        return x
    if ACTIVATION == "relu":
        return tl.maximum(x + bias, 0.0)
    return x + bias


@triton.jit
def kernel(
    x, out, n, bias, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None
):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        values = tl.load(x + offs, mask=offs < n)
        tl.store(out + offs, activated(values, bias, ACTIVATION), mask=offs < n)


# tritonopt: x: f32[m, n], bias: 0.5|None, activation: 'relu'|'none'
def run(x: torch.Tensor, bias: float | None, activation: str):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    num_tiles = triton.cdiv(n, 64)
    kernel[(min(num_tiles, 3),)](
        x, out, n, bias, activation, BLOCK=64, NUM_TILES=num_tiles
    )
    return out
