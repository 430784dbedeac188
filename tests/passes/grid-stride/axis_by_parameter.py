# expect: missed axis-is-not-known
"""Which axis it is the launch says."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, AXIS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(AXIS)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), AXIS=0, BLOCK=64)
    return out
