# expect: missed memory-order
"""An atomic orders memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, C, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    tl.atomic_add(C, 1)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(n, dtype=x.dtype, device=x.device)
    count = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, count, n, BLOCK=32)
    return y
