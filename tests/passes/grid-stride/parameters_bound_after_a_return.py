# options: programs=2
"""Each tile that stays takes its copies of the pointers behind the guard."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= limit:
        return
    cols = tl.arange(0, BLOCK)
    x, out = x + pid * n + cols, out + pid * n + cols
    tl.store(out, tl.load(x, mask=cols < n), mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, m // 2, BLOCK=triton.next_power_of_2(n))
    return out
