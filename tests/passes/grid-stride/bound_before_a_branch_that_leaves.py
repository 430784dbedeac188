# expect: missed name-is-bound-elsewhere
"""The branch that leaves gives a name another type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    value = 0
    if pid == 0:
        value = tl.load(x + offs, mask=offs < n)
        tl.store(out + offs, value, mask=offs < n)
        return
    tl.store(out + offs, value, mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
