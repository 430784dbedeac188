# options: programs=2
"""Launches in the methods of a class."""

import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, x * x, mask=offs < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        size = x.numel()
        square_kernel[(triton.cdiv(size, 128),)](x, y, size, BLOCK=128)
        return y

    @staticmethod
    def backward(ctx, dy):
        return dy


def square(x: torch.Tensor):
    return Square.apply(x.contiguous())
