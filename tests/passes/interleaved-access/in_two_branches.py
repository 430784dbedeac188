"""Each branch stores its pairs: offsets are computed above both."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, SWAP: tl.constexpr, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    if SWAP:
        tl.store(Y + 2 * k, odd, mask=mask)
        tl.store(Y + 2 * k + 1, even, mask=mask)
    else:
        tl.store(Y + 2 * k, even, mask=mask)
        tl.store(Y + 2 * k + 1, odd, mask=mask)


def run(x: torch.Tensor, swap: bool):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, SWAP=swap, BLOCK=32)
    return y
