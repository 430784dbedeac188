# expect: missed not-lane-by-lane
"""An atomic gives each program a ticket."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    ticket = tl.atomic_add(Count + row, 1)
    tl.store(Y + row * stride + cols, x * ticket - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    count = torch.zeros(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, count, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
