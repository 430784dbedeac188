# options: programs=2
"""What is passed is made by a function that changes what the grid was computed from."""

import torch
import triton
import triton.language as tl

count = 4
made = []


@triton.jit
def kernel(x, out, one, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs) + one)


def alloc(x):
    global count
    count = 1
    made.append(torch.zeros_like(x))
    return made[-1]


def run(x: torch.Tensor):
    global count
    count = 4
    x = torch.arange(64, device=x.device) + x.sum()
    kernel[(count,)](x, alloc(x), 1, BLOCK=16)
    return made[-1]
