# expect: missed type-changes
"""Random numbers depend on the type of their offsets."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, seed, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    x = tl.load(X + offsets, mask=mask, other=0.0)
    kept = tl.rand(seed, offsets) > 0.5
    tl.store(Y + offsets, tl.where(kept, x, 0.0), mask=mask)


def launch(x, seed):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 1024),)](x, y, seed, n, BLOCK=1024)
    return y
