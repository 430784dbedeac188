# verify: always
"""A check of an axis that the tile covers exactly asks nothing."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, BM: tl.constexpr, BN: tl.constexpr):
    begin = tl.program_id(0) * BM
    offs_m = begin + tl.arange(0, BM).to(tl.int64)
    offs_bn = tl.arange(0, BN)
    x_block = X + offs_m[:, None] * BN + offs_bn[None, :]
    x = tl.load(x_block, mask=offs_m[:, None] < M, other=0.0)
    tl.store(Y + begin + tl.arange(0, BM), tl.sum(x, axis=1), mask=begin + tl.arange(0, BM) < M)


def run(x: torch.Tensor):
    assert x.dim() == 2 and x.shape[1] == 16
    x = x.contiguous()
    y = torch.empty(x.shape[0], dtype=x.dtype)
    kernel[(triton.cdiv(x.shape[0], 4),)](x, y, x.shape[0], BM=4, BN=16)
    return y
