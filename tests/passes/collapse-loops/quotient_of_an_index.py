# expect: missed masked-off-lanes-count
"""A term is divided by what comes to 0 for rows past the end: there 0 / 0 would enter the sum."""

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
            total += tl.sum(x * (r + 1) / (N - r * 0.5), axis=0)
    tl.store(Y, total)


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y
