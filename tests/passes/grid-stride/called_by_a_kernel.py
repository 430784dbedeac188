# expect: missed unseen-launches
"""Another kernel calls it, whose programs are other tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


@triton.jit
def twice(x, out, n, BLOCK: tl.constexpr):
    kernel(x, out, n, BLOCK)
    kernel(x, out, n, BLOCK)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
