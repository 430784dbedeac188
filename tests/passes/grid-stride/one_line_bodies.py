# options: programs=2
"""A guard in one line, and two statements in another that stay together."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid * BLOCK >= n: return
    offs = pid * BLOCK + tl.arange(0, BLOCK); mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask), mask=mask)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    n = x.numel()
    out = torch.zeros_like(x)
    kernel[(n // 16 + 1,)](x, out, n, BLOCK=16)
    return out
