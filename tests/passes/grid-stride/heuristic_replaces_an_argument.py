# expect: missed grid-depends-on-the-configuration
"""The heuristic wins over the launch, so the grid is not what the launch passes."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda arguments: 32})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]) + 1,)](x, out, n, BLOCK=64)
    return out
