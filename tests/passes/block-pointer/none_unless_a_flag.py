"""The name is None but under the flag that it is read under, too."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, FLAG: tl.constexpr):
    pid = tl.program_id(0)
    x_block = None
    if FLAG:
        x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    y = tl.load(y_block, boundary_check=(0,), padding_option="zero")
    if FLAG:
        y += tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, y, boundary_check=(0,))


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = torch.ones_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, FLAG=True)
    return y
