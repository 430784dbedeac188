# expect: missed parameter-cannot-be-added
"""One argument more would choose another constant."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"OFFSET": lambda args: len(args)})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr, OFFSET: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + OFFSET, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(n // 64 + 1,)](x, out, n, BLOCK=64)
    return out
