# expect: missed tiles-race
"""The first lane of a tile is read by the last lane of the tile before."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(X, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(X + offsets, x, mask=offsets + 1 < N)


def shift(x: torch.Tensor):
    n = x.numel()
    shift_kernel[(triton.cdiv(n, 64),)](x, n, BLOCK=64)
