# options: programs=2
"""Two launches start another number of tiles each; the number is converted."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offs = (tl.num_programs(0).to(tl.int64) - 1 - pid) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    kernel[(1,)](x, out, n, BLOCK=32)
    return out
