# verify: always
# options: axis=1,programs=3
"""Tiles along the second axis, with a limit that small sizes reach."""

import torch
import triton
import triton.language as tl


@triton.jit
def subtract_bias_kernel(
    x_ptr, bias_ptr, out_ptr, M, N, BLOCK: tl.constexpr, NUM_TILES=None
):
    row = tl.program_id(0)
    bias = tl.load(bias_ptr + row)
    num_tiles = tl.num_programs(1) if NUM_TILES is None else NUM_TILES
    for block in range(tl.program_id(1), num_tiles, tl.num_programs(1)):
        cols = block * BLOCK + tl.arange(0, BLOCK)
        inside = cols < N
        x = tl.load(x_ptr + row * N + cols, mask=inside)
        tl.store(out_ptr + row * N + cols, x - bias, mask=inside)


def subtract_bias(x: torch.Tensor, bias: torch.Tensor):
    m, n = x.shape
    assert bias.shape == (m,)
    x, bias = x.contiguous(), bias.contiguous()
    out = torch.empty_like(x)
    num_tiles = triton.cdiv(n, 32)
    subtract_bias_kernel[(m, min(num_tiles, 3))](
        x, bias, out, m, n, BLOCK=32, NUM_TILES=num_tiles
    )
    return out
