# expect: missed masked-off-lanes-count
# options: longest=16,block=16
"""Exponentials of what is below another maximum are not 0 behind the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
    z = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32) * 2.0
    tl.store(Y + row, tl.sum(tl.exp(x - tl.max(z, axis=0)), axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
