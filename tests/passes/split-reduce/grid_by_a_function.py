# options: turns=1
"""The grid is a function, and a number that the launch leaves out."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr = 64):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, N, BLOCK, num_stages=2):
        cols = start + tl.arange(0, BLOCK)
        acc = acc + tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, 0))


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    grid = lambda META: (m,)
    kernel[grid](x, y, x.stride(0), m, n, num_warps=4)
    return y
