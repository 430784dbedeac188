# options: programs=2
"""Rows beyond the last one add nothing; what a sum would have to leave out is not looked into."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x_ptr, total_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = (row < M) & (cols < N)
    x = tl.load(x_ptr + row * N + cols, mask=inside, other=0.0)
    tl.atomic_add(total_ptr + cols, x, mask=inside)


# tritonopt: x: f32[m, n]
def gather(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    total = torch.zeros(n, device=x.device)
    gather_kernel[(m + 1,)](x, total, m, n, BLOCK=triton.next_power_of_2(n))
    return total
