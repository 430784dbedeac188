# options: programs=3
"""A tensor is divided toward zero, a Python number down."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, (pid - 3) // 2)


# tritonopt: x: i32[n]
def shift(x: torch.Tensor):
    out = torch.empty_like(x)
    shift_kernel[(x.numel(),)](out)
    return out
