"""The tile has a name, which the grid asks for too."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    block = 256
    double[(triton.cdiv(n, block),)](x, y, n, BLOCK=block)
    return y
