# expect: missed already-done
"""Tiles are numbered by what the loop counts."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    count = tl.num_programs(0)
    for i in range(0, tl.cdiv(n, BLOCK * count)):
        tile = pid + i * count
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out
