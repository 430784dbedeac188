# verify: always
# options: block=32
"""Atomic additions of integers, of which nobody wants the result."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Hist, n):
    row = tl.program_id(0)
    for i in range(n):
        x = tl.load(X + row * n + i)
        if x >= 0:
            tl.atomic_add(Hist + x, 1)


# tritonopt: x: i32[m, n] in -2..7
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    hist = torch.zeros(8, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, hist, n)
    return hist
