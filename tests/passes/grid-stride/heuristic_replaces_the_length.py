# options: programs=2
"""In the kernel n is not what the launch passes for it."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"n": lambda arguments: arguments["n"] // 2})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    block = 64
    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, out, n=n, BLOCK=block)
    return out
