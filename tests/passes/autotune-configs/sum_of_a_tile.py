"""What is stored for a tile depends on its length."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))


def doubled(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    double[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128)
    return y
