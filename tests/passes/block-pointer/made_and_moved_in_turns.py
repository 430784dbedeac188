# expect: missed block-pointer-is-lost
"""In the second turn of the loop it moves on from where it was made in the first."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    acc = tl.zeros([B], dtype=tl.float32)
    for start in range(0, n, B):
        x_block = tl.advance(x_block, (B,))
        acc += tl.load(x_block, boundary_check=(0,), padding_option="zero")
        x_block = tl.make_block_ptr(X, (n,), (1,), (start,), (B,), (0,))
    tl.store(Y + tl.arange(0, B), acc)


def run(x: torch.Tensor):
    n = x.numel()
    y = x.new_empty(32)
    kernel[(1,)](x, y, n, B=32)
    return y
