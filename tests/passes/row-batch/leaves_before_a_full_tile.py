# verify: no, no row leaves
"""The tile is made behind the return, and has lanes at each launch."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row * N >= M * N:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x), mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    assert n <= 64
    x = x.contiguous()
    y = torch.zeros_like(x)
    kernel[(m,)](x, y, x.stride(0), m, n, BLOCK=64)
    return y
