# expect: silent
"""Even elements of one tensor, odd ones of another."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Z, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    odd = tl.load(Z + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor, z: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x, z, y, n, BLOCK=32)
    return y
