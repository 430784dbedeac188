# verify: always
"""One of two is returned, by a flag, and two axes are checked."""

import torch
import triton
import triton.language as tl


@triton.jit
def block_of(X, m, n, stride, i, j, BM, BN, TRANSPOSED: tl.constexpr):
    """A block of a matrix, or of its transpose."""
    if TRANSPOSED:
        return tl.make_block_ptr(X, (n, m), (1, stride), (j * BN, i * BM), (BN, BM), (0, 1))
    return tl.make_block_ptr(
        X,
        (m, n),
        (stride, 1),
        (i * BM, j * BN),
        (BM, BN),
        (1, 0),
    )


@triton.jit
def kernel(X, Y, m, n, stride_x, stride_y, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    x_block = block_of(X, m, n, stride_x, i, j, BM, BN, False)
    y_block = block_of(Y, n, m, stride_y, j, i, BN, BM, TRANSPOSED=True)
    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(y_block, x.to(y_block.dtype.element_ty), boundary_check=(1, 0))


def run(x: torch.Tensor):
    """x: f32[m, n]"""
    m, n = x.shape
    assert x.is_contiguous()
    y = x.new_empty(n, m)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 32))](
        x, y, m, n, x.stride(0), y.stride(0), BM=16, BN=32
    )
    return y
