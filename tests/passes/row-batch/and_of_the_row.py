# expect: missed rows-differ
"""`and` of scalars, one of which is of the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if flag > 0 and row > 2:
        x = x * 2.0
    tl.store(Y + row * stride + cols, x - tl.max(x, 0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, 1, BLOCK=triton.next_power_of_2(n))
    return y
