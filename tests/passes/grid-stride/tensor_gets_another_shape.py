# options: programs=2
"""The argument changes the size that the grid was."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, rows, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + rows)


def run(x: torch.Tensor):
    x = (torch.arange(64, device=x.device) + x.sum()).view(4, 16)
    out = torch.zeros_like(x)
    kernel[(x.shape[0],)](x.unsqueeze_(0), out, x.shape[0], BLOCK=16)
    return out
