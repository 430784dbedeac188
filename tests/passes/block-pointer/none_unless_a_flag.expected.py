"""The name is None but under the flag that it is read under, too."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, FLAG: tl.constexpr):
    pid = tl.program_id(0)
    x_block = None
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    if FLAG:
        x_block = X + offs_n
    y_block = Y + offs_n
    y = tl.load(y_block, mask=offs_n < n, other=0.0)
    if FLAG:
        y += tl.load(x_block, mask=offs_n < n, other=0.0)
    tl.store(y_block, y, mask=offs_n < n)


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = torch.ones_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, FLAG=True)
    return y
