# expect: missed not-a-recurrence
"""Random numbers that are counted from turn to turn."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    drawn = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=0.0)
        acc += tl.where(tl.rand(seed, drawn + tl.arange(0, BLOCK)) > 0.5, x, 0.0)
        drawn += tl.sum((cols < N).to(tl.int32), axis=0)
    tl.store(Y + row, tl.sum(acc, axis=0))


def kept(x: torch.Tensor, seed: int = 7):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, seed, BLOCK=64)
    return y
