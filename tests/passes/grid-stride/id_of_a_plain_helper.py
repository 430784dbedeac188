# options: programs=2
"""A helper that hands on the program id as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number."""
    return tl.program_id(axis)



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + pid, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
