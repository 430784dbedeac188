# expect: missed not-expressible
"""Compiled, the counter is a tensor, and its quotient is cut toward zero; a number's is Python's."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr, WINDOW: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += tl.sum(x * x, axis=0) * ((start - WINDOW) // 3)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * total + (start - 5) % 3, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n), WINDOW=5)
    return y
