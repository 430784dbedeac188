# options: programs=2
"""No tile comes to the atomic where the switch is off, so its buffer may be anything."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, total, out, n, HAS_TOTAL: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(out + pid * n + cols, v, mask=cols < n)
    if not HAS_TOTAL:
        return
    tl.atomic_add(total + cols, v, mask=cols < n)


def run(x: torch.Tensor, with_total: bool = False):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    total = torch.zeros(n if with_total else 0, device=x.device)
    kernel[(m,)](x, total, out, n, HAS_TOTAL=with_total, BLOCK=triton.next_power_of_2(n))
    return out, total
