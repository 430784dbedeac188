# options: programs=2
"""Launches in the methods of a class."""

import torch
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, NUM_TILES=None):
    num_tiles = tl.num_programs(0) if NUM_TILES is None else NUM_TILES
    for pid in range(tl.program_id(0), num_tiles, tl.num_programs(0)):
        offs = pid * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offs, mask=offs < n)
        tl.store(y_ptr + offs, x * x, mask=offs < n)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        size = x.numel()
        num_tiles = triton.cdiv(size, 128)
        square_kernel[(min(num_tiles, 2),)](x, y, size, BLOCK=128, NUM_TILES=num_tiles)
        return y

    @staticmethod
    def backward(ctx, dy):
        return dy


def square(x: torch.Tensor):
    return Square.apply(x.contiguous())
