# expect: missed opaque-value
"""Which lanes count stands in memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, M, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    keep = tl.load(M + k, mask=mask, other=0) > 0
    even = tl.load(X + 2 * k, mask=mask & keep, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=mask & keep, other=0.0)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor, m: torch.Tensor):
    n = m.numel()
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x, m, y, n, BLOCK=32)
    return y
