# options: programs=2
"""A tile is numbered along two axes, by the number of programs of the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    tile = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    offs = tile * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32), 2)](x, out, n, BLOCK=16)
    return out
