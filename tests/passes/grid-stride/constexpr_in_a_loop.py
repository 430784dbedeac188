# expect: missed name-is-bound-elsewhere
"""A constexpr cannot be bound again by the next tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= 0:
        HALF: tl.constexpr = BLOCK // 2
        offs = pid * BLOCK + tl.arange(0, HALF)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
