"""The order is a name, which nothing reads any more. One that a comment tells of stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(block, B: tl.constexpr):
    return tl.load(block, boundary_check=(0, 1))


@triton.jit
def kernel(X, Y, m, n, B: tl.constexpr, FLAG: tl.constexpr):
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    order: tl.constexpr = (0, 1) if FLAG else (1, 0)
    other = (1, 0)  # by rows
    x_block = tl.make_block_ptr(X, (m, n), (n, 1), (i, j), (B, B), order=order)
    y_block = tl.make_block_ptr(Y, (m, n), (n, 1), (i, j), (B, B), order=other)
    tl.store(y_block, loaded(x_block, B), boundary_check=(0, 1))


def run(x: torch.Tensor, flag: bool):
    m, n = x.shape
    assert x.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, B=16, FLAG=flag)
    return y
