# expect: missed length-is-computed
# options: longer_rows=branch
"""The length of the row is loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Lengths, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    length = tl.load(Lengths + tl.program_id(0)).to(tl.int32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd, mask=cols < N)


def run(x: torch.Tensor, lengths: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, lengths, n, BLOCK=32)
    return y
