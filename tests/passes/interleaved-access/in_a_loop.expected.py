# verify: always
"""A program goes over its row, tile by tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        pairs = 2 * start + tl.arange(0, 2 * BLOCK)
        pairs_mask = pairs < 2 * n
        even_odd = tl.load(X + row * 2 * n + pairs, mask=pairs_mask, other=0.0)
        even, odd = tl.split(tl.reshape(even_odd, (BLOCK, 2)))
        tl.store(Y + row * 2 * n + pairs, tl.interleave(odd, even), mask=pairs_mask)


def run(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x[:, : 2 * n].contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
