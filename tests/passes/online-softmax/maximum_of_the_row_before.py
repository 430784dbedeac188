# expect: missed maximum-is-changed
"""The sum is below the larger of this maximum and that of the row before."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    last = 0.0
    for row in range(0, M):
        m = -float("inf")
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
            m = tl.maximum(m, tl.max(x, axis=0))
        s = 0.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=-float("inf"))
            s += tl.sum(tl.exp(x - tl.maximum(m, last)), axis=0)
        last = m
        tl.store(Y + row, s)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y
