# verify: always
"""Pointers to the tile of a row go on from tile to tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    cols = tl.arange(0, BLOCK)
    x_ptrs = X + row * stride + cols
    y_ptrs = Y + row * stride + cols
    for start in range(0, N, BLOCK):
        x = tl.load(x_ptrs, mask=start + cols < N)
        tl.store(y_ptrs, x * 2.0, mask=start + cols < N)
        x_ptrs += BLOCK
        y_ptrs += BLOCK


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=16)
    return y
