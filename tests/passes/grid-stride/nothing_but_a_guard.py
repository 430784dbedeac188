# expect: missed not-expressible
"""A tile that does nothing needs no loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, limit):
    pid = tl.program_id(0)
    if pid >= limit:
        return


def run(x: torch.Tensor):
    kernel[(x.numel(),)](x, 3)
