# options: longest=16,block=16
"""A program without a row leaves at once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols, x / tl.sum(x * x, axis=0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m + 1,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y
