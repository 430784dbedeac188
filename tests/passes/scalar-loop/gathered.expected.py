# options: block=32
"""What is loaded from a loaded index; only stores must not meet."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Index, Y, n, k):
    SCALAR_BLOCK: tl.constexpr = 32
    for start in range(0, n, SCALAR_BLOCK):
        i = start + tl.arange(0, SCALAR_BLOCK)
        mask = i < n
        j = tl.load(Index + i, mask=mask)
        x = tl.load(X + j, mask=mask & (j < k), other=7)
        tl.store(Y + i, x, mask=mask)


# tritonopt: x: i32[k], index: i32[n] in 0..9
def run(x: torch.Tensor, index: torch.Tensor):
    y = torch.empty_like(index)
    kernel[(1,)](x, index, y, index.numel(), x.numel())
    return y
