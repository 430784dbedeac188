# options: programs=2
"""A nested def is the grid of two kernels, so it stays as it is."""

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    block_start = tl.program_id(0) * BLOCK
    offs = block_start + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * 2.0, mask=offs < n)


def double_twice(x: torch.Tensor):
    x = x.contiguous()
    y, z = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()

    def grid(meta):
        """One program to a block."""
        return (triton.cdiv(n, meta["BLOCK"]),)

    double_kernel[grid](x, y, n, BLOCK=32)
    double_kernel[grid](y, z, n, BLOCK=64)
    return z
