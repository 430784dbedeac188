# expect: missed name-is-bound-elsewhere
"""Triton asks for one type of what is bound before an `if` and again in it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK
    if offs >= limit:
        return
    offs = offs + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, out, n, n // 2, BLOCK=64)
    return out
