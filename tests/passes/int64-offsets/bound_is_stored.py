# expect: missed type-changes
"""The number of elements is stored too: it stays as it is, and wide offsets alone do not help."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, COUNT, M, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = M * N
    mask = offs < count
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)
    tl.store(COUNT + tl.program_id(0), count)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    blocks = triton.cdiv(m * n, 1024)
    count = torch.empty(blocks, device=x.device, dtype=torch.int32)
    double[(blocks,)](x, y, count, m, n, BLOCK=1024)
    return y, count
