# expect: missed not-lane-by-lane
"""What all rows share has two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    w = tl.load(W + cols[:, None] * N + cols[None, :])
    tl.store(Y + row * stride + cols, tl.sum(w * x, axis=1))


# tritonopt: x: f32[m, 16], w: f32[16, 16]
def run(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x, w = x.contiguous(), w.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, x.stride(0), n, BLOCK=16)
    return y
