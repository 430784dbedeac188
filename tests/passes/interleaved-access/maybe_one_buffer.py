# expect: missed data-may-change
"""Nothing shows that the two tensors are apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Z, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    tl.store(Y + k, even, mask=mask)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Z + k, odd, mask=mask)


def run(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
    n = x.numel() // 2
    kernel[(triton.cdiv(n, 32),)](x, y, z, n, BLOCK=32)
