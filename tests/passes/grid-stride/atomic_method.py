# options: programs=2
"""The atomic is a method of its address."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, total, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    place = total + cols
    place.atomic_add(v, mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    total = torch.zeros(n, device=x.device)
    kernel[(m,)](x, total, n, BLOCK=triton.next_power_of_2(n))
    return total
