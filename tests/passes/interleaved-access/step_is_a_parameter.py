# expect: silent
"""A step that is not known to be 2."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, s, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + s * k, mask=mask)
    odd = tl.load(X + s * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, 2, BLOCK=32)
    return y
