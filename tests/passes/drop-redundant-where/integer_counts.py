"""Integers of known type: the sum of two loads that are 0 there, and an integer other branch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, OUT, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    a = tl.load(A + row * N + cols, mask=mask, other=0).to(tl.int32)
    b = tl.load(B + cols, mask=mask, other=0).to(tl.int32)
    both = tl.where(mask, a + b * 2, 0)
    tl.store(OUT + row, tl.sum(both, axis=0))


# tritonopt: a: i32[m, n], b: i32[n]
def run(a: torch.Tensor, b: torch.Tensor):
    m, n = a.shape
    a = a.contiguous()
    out = torch.empty(m, dtype=torch.int32, device=a.device)
    kernel[(m,)](a, b, out, n, BLOCK=triton.next_power_of_2(n))
    return out
