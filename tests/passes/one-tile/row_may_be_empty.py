# expect: missed may-run-zero-times
"""The tile has 16 lanes at least, so a row of no elements may be launched."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    m = tl.full([], -1.0, dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        m = tl.maximum(m, tl.max(x, axis=0))
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x
    tl.store(Y + tl.program_id(0), m + tl.sum(total, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=max(16, triton.next_power_of_2(n)))
    return y
