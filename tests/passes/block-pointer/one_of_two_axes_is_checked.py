"""Only the rows are checked; the columns fill the tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, BM: tl.constexpr, BN: tl.constexpr):
    begin = tl.program_id(0) * BM
    x_block = tl.make_block_ptr(X, (M, BN), (BN, 1), (begin, 0), (BM, BN), (1, 0))
    y_block = tl.make_block_ptr(Y, (M, BN), (BN, 1), (begin, 0), (BM, BN), (1, 0))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(y_block, x - 1, boundary_check=(0,))


def run(x: torch.Tensor):
    assert x.dim() == 2 and x.shape[1] == 16
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.shape[0], 4),)](x, y, x.shape[0], BM=4, BN=16)
    return y
