"""The helper stores through one; what it loads outside of the tensor is undefined."""

import torch
import triton
import triton.language as tl


@triton.jit
def copied(source, target):
    x = tl.load(source, boundary_check=(0,))
    tl.store(target, x.to(target.dtype.element_ty), boundary_check=(0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    copied(x_block, y_block)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
