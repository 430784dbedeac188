"""Each time that it is made it moves on from another place, as before the diagonal and after it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.arange(0, B).to(tl.int64)
    acc = tl.zeros([B], dtype=tl.float32)
    for _ in range(2):
        acc += tl.load(X + offs_n, mask=offs_n < n, other=0.0)
        offs_n += B
    offs_n_2 = 2 * B + tl.arange(0, B).to(tl.int64)
    for _ in range(2 * B, n, B):
        acc -= tl.load(X + offs_n_2, mask=offs_n_2 < n, other=0.0)
        offs_n_2 += B
    offs_n_3 = tl.arange(0, B)
    x_block = X + offs_n_3
    acc += tl.load(x_block, mask=offs_n_3 < n, other=0.0)
    tl.store(Y + tl.arange(0, B), acc)


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = x.new_empty(32)
    kernel[(1,)](x, y, n, B=32)
    return y
