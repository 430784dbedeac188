# verify: always
"""The launch shows that no tensor of booleans is passed."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.program_id(0) * B + tl.arange(0, B).to(tl.int64)
    x_block = X + offs_n
    y_block = Y + offs_n
    x = tl.load(x_block, mask=offs_n < n, other=0.0)
    tl.store(y_block, x + 1, mask=offs_n < n)


def run(m: int):
    x = torch.arange(m, dtype=torch.int32)
    y = torch.empty(m, dtype=torch.int32)
    kernel[(triton.cdiv(m, 32),)](x, y, m, B=32)
    return y
