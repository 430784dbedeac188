# verify: always
"""An odd number of elements: the last lane has one of them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k, mask=2 * k < n, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=2 * k + 1 < n, other=0.0)
    tl.store(Y + 2 * k, odd, mask=2 * k < n)
    tl.store(Y + 2 * k + 1, even, mask=2 * k + 1 < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64),)](x.contiguous(), y, n, BLOCK=32)
    return y
