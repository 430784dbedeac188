# expect: missed shapes-differ
"""A matrix product: what is left is a tile of two axes."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(A, B, C, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    acc = tl.zeros([M, N], dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        a = tl.load(A + rows[:, None] * K + k[None, :], mask=k[None, :] < K, other=0.0)
        b = tl.load(B + k[:, None] * N + cols[None, :], mask=k[:, None] < K, other=0.0)
        acc += tl.dot(a, b)
    tl.store(C + rows[:, None] * N + cols[None, :], acc)


def product(a: torch.Tensor, b: torch.Tensor):
    c = torch.empty(16, 16, dtype=torch.float32, device=a.device)
    kernel[(1,)](a, b, c, a.shape[1], M=16, N=16, BLOCK=32)
    return c
