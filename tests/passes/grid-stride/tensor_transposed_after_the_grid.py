# options: programs=2
"""Between the grid and the launch the tensor becomes another's transpose."""

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
    grid = (x.shape[0],)
    x.t_()
    kernel[grid](x, out, x.shape[0], BLOCK=16)
    return out
