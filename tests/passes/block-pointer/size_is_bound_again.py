# verify: always
"""The mask needs the size that was, which is gone where the load is."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    n = tl.minimum(n, 40)
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(Y + offs, x + n, mask=offs < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
