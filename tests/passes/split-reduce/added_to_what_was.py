# options: turns=1
"""What is added to is read before the loop: the second kernel reads it, once."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    before = tl.load(Y + row)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += x.to(tl.float32)
    tl.store(Y + row, before + tl.sum(acc, axis=0))


def add_sums(x: torch.Tensor, y: torch.Tensor):
    m, n = x.shape
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=64)
    return y
