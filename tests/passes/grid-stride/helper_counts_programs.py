# expect: missed program-ids-are-used
"""A helper asks how many programs there are."""

import torch
import triton
import triton.language as tl


@triton.jit
def last():
    return tl.num_programs(0) - 1


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = last() - tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out
