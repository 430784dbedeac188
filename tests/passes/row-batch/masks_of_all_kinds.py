# verify: always
"""A mask that says nothing, one that is a number for the row, and none."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, None)
    z = tl.load(X + row * stride + cols, mask=row > 0, other=cols)
    y = tl.sum(x, 0) + tl.sum(z, -1)
    tl.store(Y + row, y, mask=True)
    tl.store(Z + row * stride + cols, y)


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    z = torch.empty_like(x)
    kernel[(m,)](x, y, z, x.stride(0), m, n, BLOCK=16)
    return y, z
