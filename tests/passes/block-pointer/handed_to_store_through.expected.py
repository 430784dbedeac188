"""The helper stores through one; what it loads outside of the tensor is undefined."""

import torch
import triton
import triton.language as tl


@triton.jit
def copied(X, n, source_offset, B: tl.constexpr, Y):
    offs_n = source_offset + tl.arange(0, B).to(tl.int64)
    source = X + offs_n
    target = Y + offs_n
    x = tl.load(source, mask=offs_n < n)
    tl.store(target, x.to(target.dtype.element_ty), mask=offs_n < n)


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    copied(X, n, pid * B, B, Y)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
