# expect: missed loop-does-more
# options: longest=16,block=16
"""A branch changes a tile, and a number beside."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    factor = 1.0
    if SCALE:
        x = x * 2.0
        factor = 0.5
    tl.store(Y + row * N + cols, x * factor / tl.sum(x, axis=0), mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, SCALE=True, BLOCK=triton.next_power_of_2(n))
    return y
