# expect: missed early-exit
"""A call of what returns under a condition at run time compiles, but not in a loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def shifted(x, amount):
    if amount > 1:
        return x + amount
    else:
        return x - 1


@triton.jit
def twice(x, amount):
    return shifted(shifted(x, amount), amount)


@triton.jit
def kernel(x, out, n, amount, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offs, mask=offs < n)
    tl.store(out + offs, twice(values, amount), mask=offs < n)


def run(x: torch.Tensor, amount: int):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, out, n, amount, BLOCK=64)
    return out
