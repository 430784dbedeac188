# expect: missed not-lane-by-lane
"""All rows read one place, some of them not."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    w = tl.load(W + cols, mask=(cols < N) & (row > 0), other=0.0)
    tl.store(Y + row * stride + cols, x * w - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
