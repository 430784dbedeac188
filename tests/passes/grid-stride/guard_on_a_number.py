# expect: missed not-expressible
"""Triton has no `not` of a number, and the flag may be of any type."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, skip, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    flag = tl.load(skip + pid)
    if flag:
        return
    cols = tl.arange(0, BLOCK)
    tl.store(out + pid * n + cols, tl.load(x + pid * n + cols, mask=cols < n), mask=cols < n)


def run(x: torch.Tensor, skip: torch.Tensor):
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, skip, out, n, BLOCK=triton.next_power_of_2(n))
    return out
