# expect: missed not-lane-by-lane
# options: longest=16,block=16
"""A tile is reduced where the compiler is asked to."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, MEAN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    total = 0.0
    if MEAN:
        total = tl.sum(x, axis=0) / N
    tl.store(Y + row * N + cols, x - total, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, MEAN=True, BLOCK=triton.next_power_of_2(n))
    return y
