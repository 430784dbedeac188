# expect: missed few-rows
"""The launch says that there are 64 rows, which that many programs handle at once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(x, axis=0))


# tritonopt: x: f32[64, n]
def run(x: torch.Tensor):
    n = x.shape[1]
    x = x.contiguous()
    y = torch.empty(64, dtype=torch.float32, device=x.device)
    kernel[(64,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
