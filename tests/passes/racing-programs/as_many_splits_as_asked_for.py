# expect: silent
"""How many programs share a column is for the caller to say, who may well say one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Sums, stride, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(1) * stride + cols, mask=cols < N, other=0.0)
    sums = tl.load(Sums + cols, mask=cols < N, other=0.0)
    tl.store(Sums + cols, sums + x, mask=cols < N)


def launch(x: torch.Tensor, rows):
    m, n = x.shape
    sums = torch.zeros(n, device=x.device)
    kernel[(triton.cdiv(n, 128), rows)](x, sums, n, n, BLOCK=128)
    return sums
