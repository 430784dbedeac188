"""The order is a name, which nothing reads any more. One that a comment tells of stays."""

import torch
import triton
import triton.language as tl


@triton.jit
def loaded(X, m, n, i, j, B: tl.constexpr):
    offs_m = i + tl.arange(0, B).to(tl.int64)
    offs_n = j + tl.arange(0, B).to(tl.int64)
    block = X + offs_m[:, None] * n + offs_n[None, :]
    return tl.load(block, mask=(offs_m[:, None] < m) & (offs_n[None, :] < n))


@triton.jit
def kernel(X, Y, m, n, B: tl.constexpr, FLAG: tl.constexpr):
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    other = (1, 0)  # by rows
    offs_m = i + tl.arange(0, B).to(tl.int64)
    offs_n = j + tl.arange(0, B).to(tl.int64)
    y_block = Y + offs_m[:, None] * n + offs_n[None, :]
    tl.store(
        y_block,
        loaded(X, m, n, i, j, B),
        mask=(offs_m[:, None] < m) & (offs_n[None, :] < n),
    )


def run(x: torch.Tensor, flag: bool):
    m, n = x.shape
    assert x.is_contiguous()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, y, m, n, B=16, FLAG=flag)
    return y
