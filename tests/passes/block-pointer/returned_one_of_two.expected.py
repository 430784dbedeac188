# verify: always
"""One of two is returned, by a flag, and two axes are checked."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, m, n, stride, i, j, BM, BN, TRANSPOSED: tl.constexpr):
    """A block of a matrix, or of its transpose."""
    offs_m = i * BM + tl.arange(0, BM).to(tl.int64)
    offs_n = j * BN + tl.arange(0, BN).to(tl.int64)
    if TRANSPOSED:
        return (
            X + offs_n[:, None] + offs_m[None, :] * stride,
            (offs_n[:, None] < n) & (offs_m[None, :] < m),
        )
    return (
        X + offs_m[:, None] * stride + offs_n[None, :],
        (offs_m[:, None] < m) & (offs_n[None, :] < n),
    )


@triton.jit
def kernel(X, Y, m, n, stride_x, stride_y, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    x_block, x_block_mask = block_of(X, m, n, stride_x, i, j, BM, BN, False)
    y_block, y_block_mask = block_of(Y, n, m, stride_y, j, i, BN, BM, TRANSPOSED=True)
    x = tl.load(x_block, mask=x_block_mask, other=0.0)
    tl.store(y_block, x.to(y_block.dtype.element_ty), mask=y_block_mask)


def run(x: torch.Tensor):
    """x: f32[m, n]"""
    m, n = x.shape
    assert x.is_contiguous()
    y = x.new_empty(n, m)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 32))](
        x, y, m, n, x.stride(0), y.stride(0), BM=16, BN=32
    )
    return y
