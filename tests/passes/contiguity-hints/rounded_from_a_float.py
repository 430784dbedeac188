# expect: missed not-shown
"""`int(scale * 64)` is no multiple of 64 where scale is 0.5."""

import torch
import triton
import triton.language as tl


@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(x: torch.Tensor, scale: float):
    n = int(scale * 64)
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(triton.cdiv(2 * n, 64),)](x, y, n, BLOCK=64)
    return y
