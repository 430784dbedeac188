# expect: missed not-lane-by-lane
# options: longest=16,block=16
"""The product of a row, by a function of the author, in what is done to its elements."""

import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / (tl.sum(x, axis=0) + tl.reduce(tl.where(mask, x, 1.0), 0, product)), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty((m, n), dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
