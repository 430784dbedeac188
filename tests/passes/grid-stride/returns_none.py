# options: programs=2
# verify: only interpreted, Triton 3.6 compiles no kernel that returns None in words
"""The last statement returns None, and would end the loop with the first tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v + 1, mask=cols < n)
    return None


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
