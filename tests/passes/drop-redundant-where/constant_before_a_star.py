# expect: missed value-is-not-known
"""What is imported behind the constant may be called like it."""

import torch
import triton
import triton.language as tl

NEUTRAL = tl.constexpr(0.0)
from constants import *  # noqa: E402, F403


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    cols = tile * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n
    v = tl.load(x + cols, mask=mask, other=NEUTRAL).to(tl.float32)
    v = tl.where(mask, v, 0.0)
    tl.store(out + tile, tl.sum(v, axis=0))


def run(x: torch.Tensor):
    tiles = triton.cdiv(x.numel(), 64)
    out = torch.empty(tiles, device=x.device)
    kernel[(tiles,)](x, out, x.numel(), BLOCK=64)
    return out
