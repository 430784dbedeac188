# verify: always
# options: block=32
"""Atomic additions of integers, of which nobody wants the result."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Hist, n):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + row * n + i, mask=mask)
        active = mask & (x >= 0)
        tl.atomic_add(Hist + x, 1, mask=active)


# tritonopt: x: i32[m, n] in -2..7
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    hist = torch.zeros(8, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, hist, n)
    return hist
