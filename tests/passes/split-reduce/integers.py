# verify: always
# options: turns=1
"""Sums of integers wrap around alike in any order: exact."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.int32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0)
    tl.store(Y + row, tl.sum(total, axis=0))


# tritonopt: x: i32[m, n] in -1000..1000
def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
