# expect: missed block-pointer-is-lost
"""In the first iteration the name is not bound."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for i in range(2):
        if i > 0:
            x = tl.load(p, boundary_check=(0,))
            tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)
        p = tl.make_block_ptr(X, (n,), (1,), (i * B,), (B,), (0,))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
