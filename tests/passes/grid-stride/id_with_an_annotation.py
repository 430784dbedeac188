# options: programs=2
"""The program id is bound with an annotation, and asked for a cast."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid: tl.int32 = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v + pid.to(tl.float32), mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out
