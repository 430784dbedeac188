"""Both of a pair are added to memory that programs share."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    even = tl.load(X + 2 * cols, mask=mask, other=0.0)
    odd = tl.load(X + 2 * cols + 1, mask=mask, other=0.0)
    tl.atomic_add(Y + cols, even, mask=mask)
    tl.atomic_max(Y + N + cols, odd, mask=mask)


def launch(x: torch.Tensor):
    n = x.shape[0] // 2
    y = torch.zeros(2 * n, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
