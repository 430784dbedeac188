# options: programs=2
"""A helper that does nothing but ask for the program id, which gets 64 bits."""

import torch
import triton
import triton.language as tl


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(axis).to(tl.int64)



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    if pid == 0:
        tl.store(out + offs, 7.0, mask=offs < n)
        return
    again = pid * 2 - program_id(axis=0)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + again % 3, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
