# expect: missed unseen-launches
"""How long a tile is stands in a dictionary, or in what is written into it later."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
    tl.store(Y + row * stride + cols, x - tl.sum(x, axis=0) / N, mask=cols < N)


def centered(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    meta = {"BLOCK": 16}
    if n > 16:
        meta["BLOCK"] = 64
    kernel[(m,)](x, y, x.stride(0), n, **meta)
    return y
