# verify: no, programs race in the original
"""Which program comes first decides what is loaded: the tile stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets + 1, mask=offsets + 1 < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.clone(x)
    n = x.numel()
    double[(triton.cdiv(n, 128),)](y, y, n, BLOCK=128)
    return y
