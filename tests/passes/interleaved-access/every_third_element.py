# expect: silent
"""Three elements to a lane are no power of two."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    x = tl.load(X + 3 * k, mask=mask)
    y = tl.load(X + 3 * k + 1, mask=mask)
    z = tl.load(X + 3 * k + 2, mask=mask)
    tl.store(Y + k, x + y + z, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 3
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
