# verify: always
# options: elements=64
"""A row is read, and written where it was read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(X + row * stride + cols, x - tl.sum(x) / N, mask=cols < N)


# tritonopt: x: f32[m, n]
def center_(x: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous()
    kernel[(m,)](x, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return x
