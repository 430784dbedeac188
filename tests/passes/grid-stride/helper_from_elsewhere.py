# expect: missed unknown-call
"""A helper of another file may read the program id."""

import torch
import triton
import triton.language as tl

from elsewhere import transform


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, transform(tl.load(x + offs, mask=offs < n)), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
