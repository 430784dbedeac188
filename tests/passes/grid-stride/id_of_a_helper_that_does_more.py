# expect: missed program-ids-are-used
"""A helper that computes with the program id reads that of the program."""

import torch
import triton
import triton.language as tl


@triton.jit
def first(axis: tl.constexpr) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(0) + 1 + 0 * axis



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = (first(0) - 1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + tl.program_id(0), mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
