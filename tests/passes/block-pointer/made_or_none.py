"""Where the flag is set it is made once more before it is read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, n, B: tl.constexpr, SAVE: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,)) if SAVE else None
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Z + pid, tl.sum(x, axis=0))
    if SAVE:
        y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
        tl.store(y_block, x, boundary_check=(0,))


def run(x: torch.Tensor, save: bool):
    """x: f32[n]"""
    n = x.numel()
    y = torch.zeros_like(x)
    z = x.new_empty(triton.cdiv(n, 32))
    kernel[(triton.cdiv(n, 32),)](x, y, z, n, B=32, SAVE=save)
    return y, z
