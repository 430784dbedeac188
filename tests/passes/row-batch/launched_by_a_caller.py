# expect: missed grid-is-not-readable
"""The grid comes from whoever calls the launcher."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(Y + row, tl.sum(tl.load(X + row * stride + cols, mask=cols < N, other=0.0)))


def run(x: torch.Tensor, y: torch.Tensor, grid):
    kernel[grid](x, y, x.stride(0), x.shape[1], BLOCK=64)
