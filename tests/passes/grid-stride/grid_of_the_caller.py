# expect: missed grid-is-not-readable
"""The grid may be a function or a tuple of any length."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor, out: torch.Tensor, grid):
    kernel[grid](x, out, x.numel(), BLOCK=64)
