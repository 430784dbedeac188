"""The offset is wide, but the number of elements that ends it is not, and wraps around."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, M, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < M * N
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    double[(triton.cdiv(m * n, 1024),)](x, y, m, n, BLOCK=1024)
    return y
