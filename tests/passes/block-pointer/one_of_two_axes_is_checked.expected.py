"""Only the rows are checked; the columns fill the tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, BM: tl.constexpr, BN: tl.constexpr):
    begin = tl.program_id(0) * BM
    offs_m = begin + tl.arange(0, BM).to(tl.int64)
    offs_bn = tl.arange(0, BN)
    x_block = X + offs_m[:, None] * BN + offs_bn[None, :]
    y_block = Y + offs_m[:, None] * BN + offs_bn[None, :]
    x = tl.load(x_block, mask=offs_m[:, None] < M, other=0.0)
    tl.store(y_block, x - 1, mask=offs_m[:, None] < M)


def run(x: torch.Tensor):
    assert x.dim() == 2 and x.shape[1] == 16
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.shape[0], 4),)](x, y, x.shape[0], BM=4, BN=16)
    return y
