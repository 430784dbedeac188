# options: longest=16,block=16
"""Each element is stored where it was loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-5)
    tl.store(X + row * N + cols, x * rstd, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    kernel[(m,)](x, n, BLOCK=triton.next_power_of_2(n))
    return x
