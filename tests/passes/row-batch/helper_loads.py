# expect: missed not-lane-by-lane
"""A helper loads the row, and knows nothing of rows past the end."""

import torch
import triton
import triton.language as tl


@triton.jit
def get(pointers):
    return tl.load(pointers)


@triton.jit
def kernel(X, Y, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = get(X + row * stride + cols)
    tl.store(Y + row * stride + cols, x - tl.sum(x))


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(x.shape[0],)](x, y, x.stride(0), BLOCK=16)
    return y
