# expect: missed block-pointer-is-lost
"""An argument loads; it must not be done twice or elsewhere."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Begin, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (tl.load(Begin),), (B,), (0,))
    tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    begin = torch.zeros(1, dtype=torch.int32)
    kernel[(1,)](x, y, begin, x.numel(), B=32)
    return y
