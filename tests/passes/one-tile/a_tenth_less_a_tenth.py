# expect: missed length-matters
# options: raise_block=1024
"""A tenth less a tenth is not 0 where one of them is of the type of the data, bf16 say."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1).to(tl.float32)
        top += tl.sum(x - 0.1, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1).to(tl.float32)
        tl.store(Y + row * N + cols, x / top, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    assert 0 < n and n <= 1024
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
