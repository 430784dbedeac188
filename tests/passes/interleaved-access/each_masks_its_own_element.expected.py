# verify: always
"""An odd number of elements: the last lane has one of them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    pairs = 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK)
    pairs_mask = pairs < n
    even_odd = tl.load(X + pairs, mask=pairs_mask, other=0.0)
    even, odd = tl.split(tl.reshape(even_odd, (BLOCK, 2)))
    tl.store(Y + pairs, tl.interleave(odd, even), mask=pairs_mask)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64),)](x.contiguous(), y, n, BLOCK=32)
    return y
