# verify: no, it was run once, and others like it run
"""The sums start as numbers, and are of fp32 though the data may be of fp16."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    lanes = tl.arange(0, BLOCK)
    mask = lanes < N
    x = tl.load(X + lanes, mask=mask, other=0.0)
    s = tl.sum(x).to(tl.float32)
    # x**2
    squared_sum = tl.sum(x * x).to(tl.float32)
    m = s / N
    rstd = 1 / tl.sqrt(squared_sum / N - m * m + 1.0)
    tl.store(Y + lanes, (x - m) * rstd, mask=mask)


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y
