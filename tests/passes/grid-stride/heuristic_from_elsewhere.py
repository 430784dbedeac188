# expect: missed grid-depends-on-the-configuration
"""Nobody sees what the heuristics set, and the length is passed by name."""

import torch
import triton
import triton.language as tl
from settings import HEURISTICS


@triton.heuristics(HEURISTICS)
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n=n)
    return out
