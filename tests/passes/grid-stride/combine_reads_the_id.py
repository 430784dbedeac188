# expect: missed program-ids-are-used
"""The function that a reduction combines with reads the program id."""

import torch
import triton
import triton.language as tl


@triton.jit
def combine(a, b):
    return a + b + tl.program_id(0)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0)
    tl.store(out + pid, tl.reduce(v, 0, combine))


def run(x: torch.Tensor):
    m, n = x.shape
    out = torch.zeros(m)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
