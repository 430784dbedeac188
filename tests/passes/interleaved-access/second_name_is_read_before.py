"""The name of the second load is another value until then."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    odd = k * 0.5
    even = tl.load(X + 2 * k, mask=mask)
    even = even + odd
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
