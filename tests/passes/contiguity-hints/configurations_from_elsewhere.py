# expect: missed hint-can-be-false
"""The tuner's configurations are not in this file."""

import torch
import triton
import triton.language as tl


@triton.autotune(configs=get_configurations(), key=["N"])
@triton.jit
def repeat_kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def repeat(x: torch.Tensor):
    n = x.numel()
    assert n % 64 == 0
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    repeat_kernel[(2,)](x, y, n)
    return y
