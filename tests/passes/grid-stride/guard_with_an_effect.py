# expect: missed not-expressible
"""The condition counts, and nothing comes after the return."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, counter, limit):
    pid = tl.program_id(0)
    tl.store(x + pid, 1.0)
    if tl.atomic_add(counter, 1) > limit:
        return


def run(x: torch.Tensor, counter: torch.Tensor):
    kernel[(x.numel(),)](x, counter, 5)
