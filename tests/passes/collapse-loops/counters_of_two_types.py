# expect: missed not-expressible
"""The row's number has 32 bits and the place in it 64; a part of the place would have 64 too."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N: tl.int64, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for m in range(M):
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + m * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += tl.where(cols < N, x * (m + 2147483647), 0.0)
    tl.store(Y, tl.sum(total, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y
