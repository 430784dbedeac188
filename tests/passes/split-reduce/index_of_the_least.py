# options: turns=1
"""The least element and where it is, chosen by an `if`."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, I, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    low = float("inf")
    best = -1
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=float("inf")).to(tl.float32)
        new = tl.min(x, axis=0)
        place = tl.argmin(x, axis=0)
        if new < low:
            low = new
            best = place + start
    tl.store(Y + row, low)
    tl.store(I + row, best)


def reduced(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    i = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, i, x.stride(0), n, BLOCK=64)
    return y, i
