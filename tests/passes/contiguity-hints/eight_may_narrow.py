# expect: missed hint-narrows
"""Groups of 8 are true, but where N is a multiple of 16 Triton does better by itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 8 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y
