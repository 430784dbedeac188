# expect: silent
"""Which tensors fit a buffer of fixed length is for the callers to know."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def double(x):
    n = x.numel()
    y = torch.empty(64, device=x.device)
    scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
