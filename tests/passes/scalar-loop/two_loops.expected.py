# options: block=32
"""Two loops over the same numbers: their names are the same, and so is the width."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    SCALAR_BLOCK: tl.constexpr = 32
    row = tl.program_id(0)
    total_tile = tl.zeros([SCALAR_BLOCK], dtype=tl.float32)
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        total_tile += tl.load(X + row * n + i, mask=mask, other=0)
    total = tl.sum(total_tile, axis=0)
    mean = total / n
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        x = tl.load(X + row * n + i, mask=mask)
        tl.store(Y + row * n + i, x - mean, mask=mask)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n)
    return y
