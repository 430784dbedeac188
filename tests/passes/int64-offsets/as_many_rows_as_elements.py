# expect: silent
"""A tensor of so many rows would have one element in each, but a row has a tile of them."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(Positions, X, Y, M, stride, BLOCK: tl.constexpr, HEAD: tl.constexpr):
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    dims = tl.arange(0, HEAD)
    mask = token < M
    position = tl.load(Positions + token, mask=mask, other=0).to(tl.int64)
    x = tl.load(X + token.to(tl.int64)[:, None] * stride + dims[None, :], mask=mask[:, None])
    tl.store(Y + position[:, None] * HEAD + dims[None, :], x, mask=mask[:, None])


def scatter(x: torch.Tensor, positions: torch.Tensor, y: torch.Tensor) -> None:
    m = x.shape[0]
    kernel[(triton.cdiv(m, 64),)](positions, x, y, m, x.stride(0), BLOCK=64, HEAD=128)
