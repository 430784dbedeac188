# options: block=32
"""A loop that the compiler unrolls, over a constexpr."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, scale, H: tl.constexpr):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    for start in tl.static_range(0, H, SCALAR_BLOCK):
        j = start + tl.arange(0, SCALAR_BLOCK)
        mask = j < H
        v = tl.load(X + row * H + j, mask=mask) * scale
        tl.store(Y + row * H + j, v, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, 0.5, H=n)
    return y
