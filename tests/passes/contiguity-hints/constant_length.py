# expect: missed compiler-knows
"""A length that the compiler knows: it sees through the `%` by itself."""

import torch
import triton
import triton.language as tl


LENGTH = 4096


@triton.jit
def ring_kernel(X, Y, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + offs, tl.load(X + offs % LENGTH))


def ring(x: torch.Tensor):
    y = torch.empty(2 * LENGTH, dtype=x.dtype, device=x.device)
    ring_kernel[(2 * LENGTH // 64,)](x, y, BLOCK=64)
    return y
