# expect: missed data-may-change
"""Each turn has elements of its own, but it is one buffer."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2.0, mask=cols < N)


def scaled(x: torch.Tensor):
    m, n = x.shape
    scale[(m,)](x, x, n, BLOCK=64)
