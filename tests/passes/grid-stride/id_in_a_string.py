# verify: no, what is printed while compiling is not compared
"""A string asks for the type of the program id, and strings are not rewritten."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    pid = tl.program_id(0)
    tl.static_print(f"{pid.dtype}")
    tl.store(x + pid, 1.0)


def run(x: torch.Tensor):
    kernel[(x.numel(),)](x)
