# expect: missed not-expressible
"""The mask counts from the start of the row, the address from that of the tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    k = tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k, mask=start + k < n, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=start + k < n, other=0.0)
    tl.store(Y + start + k, even + odd, mask=start + k < n)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
