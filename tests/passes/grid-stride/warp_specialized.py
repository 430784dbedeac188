# expect: missed loop-options
"""A loop whose warps have roles cannot stand in another."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    for i in tl.range(0, 2, warp_specialize=True):
        offs = pid * BLOCK + tl.arange(0, BLOCK) + 0 * i
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
