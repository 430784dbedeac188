# expect: missed not-lane-by-lane
"""The place of the row, or one place for all rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, S, Y, stride, N, HAS_S: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if HAS_S:
        place = S + row
    else:
        place = S
    tl.store(Y + row * stride + cols, x * tl.load(place) - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n], s: f32[m]
def run(x: torch.Tensor, s: torch.Tensor):
    m, n = x.shape
    x, s = x.contiguous(), s.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, s, y, x.stride(0), n, HAS_S=True, BLOCK=block)
    return y
