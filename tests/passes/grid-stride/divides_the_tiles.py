# expect: missed already-done
"""Each program has its share of the tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    share = tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))
    first = tl.program_id(0) * share
    for tile in range(first, first + share):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out
