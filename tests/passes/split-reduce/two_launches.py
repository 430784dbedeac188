# options: turns=1
"""Each launch decides for itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + row, tl.sum(acc, axis=0))


def both(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(2, m, dtype=torch.float32, device=x.device)
    first, second = y[0], y[1]
    kernel[(m,)](x, first, x.stride(0), n, BLOCK=64)
    if n > 10:
        kernel[(m,)](x, second, x.stride(0), n // 2, BLOCK=32)
    else:
        second.zero_()
    return y
