# verify: always
"""Complex numbers, loaded and stored in halves."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    base = k * 2
    real = tl.load(X + base, mask=mask)
    imag = tl.load(X + base + 1, mask=mask)
    tl.store(Y + base, real, mask=mask)
    tl.store(Y + base + 1, -imag, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
