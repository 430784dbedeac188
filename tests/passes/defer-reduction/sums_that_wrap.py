# expect: missed reduction-may-overflow
"""Tiles of int32 wrap around before they are added to int64."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([], dtype=tl.int64)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0)
        acc += tl.sum(x.to(tl.int32), axis=0)
    tl.store(Y + row, acc)


# tritonopt: x: i32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.int64, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=16)
    return y
