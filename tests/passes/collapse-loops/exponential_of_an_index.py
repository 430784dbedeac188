# expect: missed masked-off-lanes-count
"""A term grows with the index: past the end it may be infinite, and 0 times that is NaN."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    total = 0.0
    for r in range(M):
        for off in range(0, N, BLOCK):
            cols = off + tl.arange(0, BLOCK)
            x = tl.load(X + r * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += tl.sum(x * tl.exp(r * 1.0), axis=0)
    tl.store(Y, total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y
