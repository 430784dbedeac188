# verify: always
"""What is outside is NaN: the sum over a ragged tile is NaN before and after."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.program_id(0) * B + tl.arange(0, B).to(tl.int64)
    x_block = X + offs_n
    x = tl.load(x_block, mask=offs_n < n, other=float("nan"))
    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(triton.cdiv(n, 32), dtype=x.dtype)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
