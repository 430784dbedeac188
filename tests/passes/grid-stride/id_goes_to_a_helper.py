# verify: always
# options: programs=3
"""A helper takes the program id and asks for its type."""

import torch
import triton
import triton.language as tl


@triton.jit
def offsets_of(pid, BLOCK: tl.constexpr):
    return pid.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def negate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = offsets_of(pid, BLOCK)
    tl.store(out_ptr + offs, -tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


def negate(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    negate_kernel[(triton.cdiv(n, 16),)](x, out, n, 16)
    return out
