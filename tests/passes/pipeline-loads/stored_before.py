# expect: missed data-may-change
"""The first loop stores what the second one loads."""

import torch
import triton
import triton.language as tl


@triton.jit
def twice(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=1):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, tl.exp(x), mask=cols < N)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(Y + row * N + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * N, tl.sum(total, axis=0))


def scaled(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    twice[(m,)](x, y, n, BLOCK=64)
    return y
