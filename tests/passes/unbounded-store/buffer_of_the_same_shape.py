# expect: analysis leaves-its-buffer
"""The same, of a buffer that is made in the shape of another."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N, other=0.0)
    tl.store(Y + offsets, x * 2, mask=offsets <= N)


def launch(x):
    y = torch.empty(x.shape, device=x.device, dtype=x.dtype)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
