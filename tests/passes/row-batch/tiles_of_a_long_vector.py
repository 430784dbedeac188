# expect: silent
"""A program goes through several tiles, the next one goes on behind them: there are no rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, TILES: tl.constexpr):
    start = tl.program_id(0) * BLOCK * TILES
    for _ in tl.static_range(TILES):
        place = start + tl.arange(0, BLOCK)
        x = tl.load(X + place, mask=place < N)
        tl.store(Y + place, x * 2, mask=place < N)
        start += BLOCK


def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256, TILES=1)
    return y
