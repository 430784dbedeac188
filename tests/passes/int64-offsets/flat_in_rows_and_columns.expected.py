"""What is divided is beyond 32 bits itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    index = pid * BLOCK + tl.arange(0, BLOCK)
    row = index // N
    col = index % N
    x = tl.load(X + row * N + col, mask=row < M, other=0.0)
    tl.store(Y + row * N + col, x * 2, mask=row < M)


def launch(x):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m * n, 1024),)](x, y, m, n, BLOCK=1024)
    return y
