# expect: missed parameter-cannot-be-added
"""One argument more might choose another constant: the function is in another file."""

import torch
import triton
import triton.language as tl
from settings import shift


@triton.heuristics({"SHIFT": shift})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + SHIFT, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out
