# expect: silent
"""The other layout of rotary embeddings: both halves are contiguous."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    first = tl.load(X + k, mask=mask)
    second = tl.load(X + n + k, mask=mask)
    tl.store(Y + k, -second, mask=mask)
    tl.store(Y + n + k, first, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y
