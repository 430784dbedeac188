# expect: missed program-ids-are-used
"""The helper would go on reading the program's own id."""

import torch
import triton
import triton.language as tl


@triton.jit
def place(BLOCK: tl.constexpr):
    return tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = place(BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + tl.program_id(0), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
