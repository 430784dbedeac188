# expect: missed length-matters
# options: raise_block=1024
"""A tenth is not the same number in bf16 as in fp32, in which the maximum starts with it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = 0.1
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1)
        top = tl.maximum(top, tl.max(x, axis=0))
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.1)
        tl.store(Y + row * N + cols, x / top, mask=cols < N)


def run(x: torch.Tensor):
    m, n = x.shape
    assert 0 < n and n <= 1024
    y = torch.empty(m, n, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=32)
    return y
