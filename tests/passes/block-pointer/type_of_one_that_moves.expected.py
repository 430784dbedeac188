# verify: always
"""The type of a block pointer that goes is asked of its base."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.arange(0, B).to(tl.int64)
    for _ in range(tl.cdiv(n, B)):
        x = tl.load(X + offs_n, mask=offs_n < n, other=0.0).to(tl.float32)
        tl.store(Y + offs_n, (x * 3).to(Y.dtype.element_ty), mask=offs_n < n)
        offs_n += B


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel(), B=16)
    return y
