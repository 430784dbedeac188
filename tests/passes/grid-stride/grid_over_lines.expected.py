# options: programs=2
"""The number of programs is an expression that goes over lines, in somebody else's brackets."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr, NUM_TILES=None):
    tiles = (N + BLOCK - 1) // BLOCK
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for tile in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        cols = tile % tiles * BLOCK + tl.arange(0, BLOCK)
        at = tile // tiles * N + cols
        tl.store(Y + at, tl.load(X + at, mask=cols < N) * 2.0, mask=cols < N)


# tritonopt: x: f32[m, n]
def doubled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = lambda meta: (
        min(m * triton.cdiv(n, meta["BLOCK"]), 2),
    )
    kernel[grid](x, y, m, n, BLOCK=16, NUM_TILES=m * triton.cdiv(n, 16))
    return y


# tritonopt: x: f32[m, n], half: 8 | 16
def doubled_in_tiles(x: torch.Tensor, half: int):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    grid = lambda meta: (
        min((m  # a row after another
        * ((n + meta["BLOCK"] - 1) // meta["BLOCK"])), 2),
    )
    kernel[grid](
        x,
        y,
        m,
        n,
        BLOCK=half + half,
        NUM_TILES=(m  # a row after another
        * ((n + (half + half) - 1) // (half + half))),
    )
    return y
