# expect: missed data-may-change
# options: longest=16,block=16
"""The output may be the input, one element further."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(Y + row * N + cols + 1, x / tl.sum(x, axis=0), mask=mask)


# tritonopt: x: f32[m, n], y: f32[m, n]
def run(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, y, n - 1, BLOCK=triton.next_power_of_2(n - 1))
    return y
