# expect: missed program-ids-are-used
"""A helper tells the number of programs."""

import torch
import triton
import triton.language as tl


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(axis).to(tl.int64)


@triton.jit
def num_programs(axis: int):
    return tl.num_programs(axis).to(tl.int64)


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + num_programs(0), mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
