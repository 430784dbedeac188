"""Both are masked by the even element, and their number is even."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k, mask=2 * k < 2 * n, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=2 * k < 2 * n, other=0.0)
    tl.store(Y + k, even - odd, mask=k < n)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
