# verify: no, the buffers of the caller are drawn alike
# assume: disjoint(X, Y)
"""The caller passes both buffers, and the user says that they lie apart."""

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


def scaled(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    scale[(m,)](x, y, n, BLOCK=64)
