# expect: missed block-pointer-is-lost
"""Two kernels check it along other axes: it would take two masks."""

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
def kernel(X, Y, m, n, stride, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    x_block = block_of(X, m, n, stride, i, j, BM, BN, False)
    y_block = block_of(Y, m, n, stride, i, j, BM, BN, False)
    tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), n // 32)](x, y, m, n, x.stride(0), BM=16, BN=32)
    return y
