"""Where the flag is set it is made once more before it is read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, n, B: tl.constexpr, SAVE: tl.constexpr):
    pid = tl.program_id(0)
    offs_n = pid * B + tl.arange(0, B).to(tl.int64)
    x_block = X + offs_n
    x = tl.load(x_block, mask=offs_n < n, other=0.0)
    tl.store(Z + pid, tl.sum(x, axis=0))
    if SAVE:
        y_block = Y + offs_n
        tl.store(y_block, x, mask=offs_n < n)


def run(x: torch.Tensor, save: bool):
    """x: f32[n]"""
    n = x.numel()
    y = torch.zeros_like(x)
    z = x.new_empty(triton.cdiv(n, 32))
    kernel[(triton.cdiv(n, 32),)](x, y, z, n, B=32, SAVE=save)
    return y, z
