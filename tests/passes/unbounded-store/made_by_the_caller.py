# expect: silent
"""The caller makes the tensor, larger than it need be, so that one element more is there."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def double(x, n):
    y = torch.empty_like(x)
    scale[(triton.cdiv(x.shape[0], 64),)](x, y, x.shape[0], BLOCK=64)
    return y


def run(n):
    return double(torch.zeros(n, 2), n)
