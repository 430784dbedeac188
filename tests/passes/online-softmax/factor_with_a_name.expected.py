"""A factor with a name is a tensor of fp32; as a number it would take on the type of fp16."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * N
    Y += row * N
    scale = 2.0
    m = float("-inf")
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
        new_m = tl.maximum(m, tl.max(x, axis=0))
        # While all is -inf there is nothing to subtract: -inf - -inf is NaN.
        shift = tl.where(new_m == float("-inf"), 0.0, new_m)
        s = s * tl.exp((m - shift) * scale) + tl.sum(tl.exp((x - shift) * scale), axis=0)
        m = new_m
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("-inf"))
        tl.store(Y + cols, tl.exp((x - m) * scale) / s, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
