"""Each time that it is made it moves on from another place, as before the diagonal and after it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    acc = tl.zeros([B], dtype=tl.float32)
    for _ in range(2):
        acc += tl.load(x_block, boundary_check=(0,), padding_option="zero")
        x_block = tl.advance(x_block, (B,))
    x_block = tl.make_block_ptr(X, (n,), (1,), (2 * B,), (B,), (0,))
    for _ in range(2 * B, n, B):
        acc -= tl.load(x_block, boundary_check=(0,), padding_option="zero")
        x_block = tl.advance(x_block, (B,))
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    acc += tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.arange(0, B), acc)


def run(x: torch.Tensor):
    """x: f32[n]"""
    n = x.numel()
    y = x.new_empty(32)
    kernel[(1,)](x, y, n, B=32)
    return y
