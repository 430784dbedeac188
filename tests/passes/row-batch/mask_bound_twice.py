"""A mask that is made in two steps tests the row in one of them, and needs no other test."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    mask &= row < M
    x = tl.load(X + row * N + cols, mask=mask, other=0.0)
    tl.store(Y + row * N + cols, x - tl.sum(x, axis=0) / N, mask=mask)


# tritonopt: x: f32[m, n]
def centered(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y
