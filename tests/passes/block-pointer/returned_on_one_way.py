"""The kernel makes it itself where the helper does not, and another one beside it."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, STEP: tl.constexpr):
    pid = tl.program_id(0)
    if STEP == 1:
        x_block = block_of(X, n, pid * B, B)
    else:
        x_block = tl.make_block_ptr(X, (n,), (STEP,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x.to(x_block.dtype.element_ty), boundary_check=(0,))


def run(x: torch.Tensor, step: int):
    """
    x: f32[n]
    step: 1 | 2
    """
    n = x.numel() // step
    y = x.new_empty(n)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, STEP=step)
    return y
