# options: programs=2
"""The loop variable would be as wide as n, where the program id was narrow."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n: tl.int64, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    grid = lambda META: (triton.cdiv(n, META["BLOCK"]),)
    kernel[grid](x, out, n, BLOCK=64)
    return out
