# verify: always
# options: turns=1
"""A tile that is not reduced: each column has its own sum."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, M, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(M):
        total += tl.load(X + row * stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(Y + cols, total / M, mask=cols < N)


def means_of_columns(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty(n, dtype=torch.float32, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x, y, x.stride(0), m, n, BLOCK=32)
    return y
