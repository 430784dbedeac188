"""Without padding the lanes outside are undefined, so no `other` is made up."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    offs_n = tl.program_id(0) * B + tl.arange(0, B).to(tl.int64)
    x_block = X + offs_n
    x = tl.load(x_block, mask=offs_n < n)
    y_block = Y + offs_n
    tl.store(y_block, x + 1, mask=offs_n < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
