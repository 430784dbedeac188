# verify: always
# options: elements=64
"""Random numbers come from a seed for all and an offset of each lane."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    offsets = row * stride + cols
    keep = tl.rand(seed, offsets) > 0.5
    x = tl.load(X + offsets, mask=cols < N, other=0.0)
    x -= tl.max(x, axis=0)
    tl.store(Y + offsets, tl.where(keep, x * 2.0, 0.0), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, 7, BLOCK=triton.next_power_of_2(n))
    return y
