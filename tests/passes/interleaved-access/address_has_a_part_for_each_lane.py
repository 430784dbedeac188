# expect: missed shape-changes
"""What is added is 0 for each lane, and a tile of as many nevertheless."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    zeros = tl.zeros([BLOCK], tl.int32)
    even = tl.load(X + zeros + 2 * k, mask=mask)
    odd = tl.load(X + zeros + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
