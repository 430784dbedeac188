# expect: silent
"""Of four elements two are not read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    a = tl.load(X + 4 * k, mask=mask)
    b = tl.load(X + 4 * k + 1, mask=mask)
    tl.store(Y + k, a + b, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 4
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
