# verify: always
"""Quaternions: every fourth element, four times."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    a = tl.load(X + 4 * k, mask=mask, other=0.0)
    b = tl.load(X + 4 * k + 1, mask=mask, other=0.0)
    c = tl.load(X + 4 * k + 2, mask=mask, other=0.0)
    d = tl.load(X + 4 * k + 3, mask=mask, other=0.0)
    tl.store(Y + 4 * k, a, mask=mask)
    tl.store(Y + 4 * k + 1, -b, mask=mask)
    tl.store(Y + 4 * k + 2, -c, mask=mask)
    tl.store(Y + 4 * k + 3, -d, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 4
    y = torch.empty(4 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
