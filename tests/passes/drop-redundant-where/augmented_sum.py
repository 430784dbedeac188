# verify: always
"""The masks are written out each time, in a loop, and the sum is taken in place."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, OUT, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    Y += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        y = tl.load(Y + cols, cols < N, 0.0).to(tl.float32)
        acc += tl.where(cols < N, x * y, 0.0)
        acc += tl.where(cols < N, x=x * x + y, y=0.0)
    tl.store(OUT + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n], y: f32[m, n]
def run(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, out, x.stride(0), n, BLOCK=16)
    return out
