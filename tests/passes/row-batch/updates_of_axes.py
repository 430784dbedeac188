# verify: always
# options: elements=64
"""What is updated gets the axes of what it meets."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    X += row * stride
    X += cols  # the tile of a row
    x = tl.load(X, mask=cols < N, other=0.0)
    weights = cols.to(tl.float32) + 1.0
    weights *= x
    scale = tl.sum(weights, axis=0)
    scale -= weights
    tl.store(Y + row * stride + cols, scale, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return y
