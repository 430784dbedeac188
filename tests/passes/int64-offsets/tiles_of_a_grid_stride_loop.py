# verify: always
# with: grid-stride
# safety: contract
"""Each program goes through tiles up to the last of the launch, as far as a program went before."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(X, Y, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    start = pid * BLOCK
    offs = start + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(Y + offs, tl.load(X + offs, mask=mask) * 2, mask=mask)


def launch(x):
    n = x.numel()
    y = torch.empty_like(x)
    double[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
    return y
