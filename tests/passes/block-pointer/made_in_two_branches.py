"""Which one is read is decided before: each brings its mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, REVERSED: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    if REVERSED:
        x_block = tl.make_block_ptr(X + n - 1, (n,), (-1,), (pid * B,), (B,), (0,))
    else:
        x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)


def run(x: torch.Tensor, backwards: bool = False):
    x = x.contiguous()
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, REVERSED=backwards, B=32)
    return y
