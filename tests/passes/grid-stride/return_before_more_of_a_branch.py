# expect: missed early-exit
"""What the rest of the branch binds is used behind it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    if BLOCK > 32:
        last = pid + 1
        if last * BLOCK > n:
            return
        scale = 2.0
    else:
        scale = 1.0
    tl.store(out + offs, scale * tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
