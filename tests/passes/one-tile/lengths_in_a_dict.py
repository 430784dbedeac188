# options: raise_block=1024
# expect: missed arguments-are-not-seen
"""How long a tile is stands in a dictionary, where another number would not follow the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(X + row * N + cols, mask=cols < N, other=0.0)
    mean = tl.sum(total, axis=0) / N
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x - mean, mask=cols < N)


def centered(x: torch.Tensor):
    m, n = x.shape
    assert n <= 1024
    y = torch.empty_like(x)
    meta = {"BLOCK": 64}
    kernel[(m,)](x, y, n, **meta)
    return y
