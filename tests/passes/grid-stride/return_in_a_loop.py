# expect: missed early-exit
"""What a loop has come to ends the program."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    for step in tl.static_range(0, 4):
        if BLOCK < 4 * step:
            return
        tl.store(out + offs, tl.load(x + offs, mask=offs < n) + step, mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
