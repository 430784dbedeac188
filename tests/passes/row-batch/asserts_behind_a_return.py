# expect: missed rows-differ
"""What is asserted of all rows is not asked where they leave."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= M:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)
    tl.device_assert(N > 0)


# tritonopt: x: f32[m, n], w: f32[m]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, w, y, x.stride(0), m, n, BLOCK=triton.next_power_of_2(n))
    return y
