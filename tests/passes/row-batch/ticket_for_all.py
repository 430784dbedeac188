# expect: missed not-lane-by-lane
"""A ticket from one counter, which nothing else depends on."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Count, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    ticket = tl.atomic_add(Count, 1)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    count = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, count, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y, count
