# expect: missed opaque-value
"""Lane 2 is below 2.5, and so are both of its elements; element 5 is not below 5.0."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k * 1.0 < n * 0.5
    even = tl.load(X + 2 * k, mask=mask, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=mask, other=0.0)
    tl.store(Y + k, even + odd, mask=k < n // 2)


def run(x: torch.Tensor):
    n = x.numel() // 2 * 2
    y = torch.empty(n // 2, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 64),)](x.contiguous(), y, n - 1, BLOCK=32)
    return y
