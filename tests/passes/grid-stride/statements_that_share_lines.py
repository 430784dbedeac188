# expect: missed not-expressible
"""Part of a line would move."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, step):
    place = step * tl.program_id(0); step = step + 1
    tl.store(x + place, step)


def run(x: torch.Tensor):
    kernel[(x.numel(),)](x, 1)
