# verify: always
"""Branches that are the same for all rows stay."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, scale, HAS_W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if N == 0:
        return
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    if HAS_W:
        w = tl.load(W + cols, mask=cols < N, other=1.0)
        x = x * w
    if scale > 1:
        x = x / tl.sum(x * x, axis=0)
    else:
        x = -x
    tl.store(Y + row * stride + cols, x, mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n], scale: int in 0..3
def run(x: torch.Tensor, w: torch.Tensor, scale: int):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    kernel[(m,)](x, w, y, x.stride(0), n, scale, HAS_W=True, BLOCK=block)
    return y
