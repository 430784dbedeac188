# options: programs=2
"""A program that has left does not divide, in a call or otherwise."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, parts, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if parts == 0:
        return
    share = tl.cdiv(n, parts)
    rest = n % parts
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v * share + rest, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, m - 1, BLOCK=triton.next_power_of_2(n))
    return out
