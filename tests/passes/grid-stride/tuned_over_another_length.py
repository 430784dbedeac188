# expect: missed grid-depends-on-the-configuration
"""The grid counts blocks of a length that the kernel is not given."""

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    half = x.numel() // 2
    kernel[lambda META: (triton.cdiv(half, META["BLOCK"]),)](x, out, x.numel())
    return out
