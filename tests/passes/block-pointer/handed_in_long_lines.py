"""What comes in their place begins lines of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled(first_summand, second_summand, source_block_ptr, result_block_ptr, factor, BM: tl.constexpr):
    x = tl.load(source_block_ptr, boundary_check=(0, 1))
    tl.store(result_block_ptr, x * factor + first_summand + second_summand, boundary_check=(0, 1))


@triton.jit
def kernel(X, Y, rows, columns, row_stride, column_stride, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (rows, columns), (row_stride, column_stride), (pid * BM, 0), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (rows, columns), (row_stride, column_stride), (pid * BM, 0), (BM, BN), (1, 0))
    scaled(
        1.0,
        2.0,
        x_block,
        y_block,
        3.0,
        BM,
    )


def run(x: torch.Tensor):
    """
    x: f32[m, n]
    n <= 32
    """
    m, n = x.shape
    assert x.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16),)](x, y, m, n, x.stride(0), x.stride(1), BM=16, BN=32)
    return y
