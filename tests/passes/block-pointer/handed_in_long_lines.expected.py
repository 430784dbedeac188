"""What comes in their place begins lines of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def scaled(first_summand, second_summand,
           X, rows, columns, row_stride, column_stride, source_offset_0, BN: tl.constexpr,
           Y,
           factor, BM: tl.constexpr):
    offs_rows = source_offset_0 + tl.arange(0, BM).to(tl.int64)
    offs_columns = tl.arange(0, BN).to(tl.int64)
    source_block_ptr = X + offs_rows[:, None] * row_stride + offs_columns[None, :] * column_stride
    result_block_ptr = Y + offs_rows[:, None] * row_stride + offs_columns[None, :] * column_stride
    x = tl.load(source_block_ptr, mask=(offs_rows[:, None] < rows) & (offs_columns[None, :] < columns))
    tl.store(
        result_block_ptr,
        x * factor + first_summand + second_summand,
        mask=(offs_rows[:, None] < rows) & (offs_columns[None, :] < columns),
    )


@triton.jit
def kernel(X, Y, rows, columns, row_stride, column_stride, BM: tl.constexpr, BN: tl.constexpr):
    pid = tl.program_id(0)
    scaled(
        1.0,
        2.0,
        X,
        rows,
        columns,
        row_stride,
        column_stride,
        pid * BM,
        BN,
        Y,
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
