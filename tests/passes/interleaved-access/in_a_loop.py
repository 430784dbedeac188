# verify: always
"""A program goes over its row, tile by tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        k = start + tl.arange(0, BLOCK)
        mask = k < n
        even = tl.load(X + row * 2 * n + 2 * k, mask=mask, other=0.0)
        odd = tl.load(X + row * 2 * n + 2 * k + 1, mask=mask, other=0.0)
        tl.store(Y + row * 2 * n + 2 * k, odd, mask=mask)
        tl.store(Y + row * 2 * n + 2 * k + 1, even, mask=mask)


def run(x: torch.Tensor):
    m, n = x.shape[0], x.shape[1] // 2
    x = x[:, : 2 * n].contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
