# options: turns=1
"""A dot product of two vectors, by a helper."""

import torch
import triton
import triton.language as tl


@triton.jit
def products(X, Y, cols, n):
    x = tl.load(X + cols, mask=cols < n, other=0.0).to(tl.float32)
    return x * tl.load(Y + cols, mask=cols < n, other=0.0).to(tl.float32)


@triton.jit
def kernel(X, Y, Out, n, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        acc += products(X, Y, start + tl.arange(0, BLOCK), n)
    tl.store(Out, tl.sum(acc, axis=0))


# tritonopt: x: f32[n], y: f32[n]
def dot(x: torch.Tensor, y: torch.Tensor):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(1, dtype=torch.float32, device=x.device)
    kernel[(1,)](x, y, out, x.numel(), BLOCK=64)
    return out
