# verify: always
"""What is stored first has another name by the time of the second."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    out = even + odd
    tl.store(Y + 2 * k, out, mask=mask)
    out = even - odd
    tl.store(Y + 2 * k + 1, out, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
