# options: block=32
"""What is loaded from a loaded index; only stores must not meet."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Index, Y, n, k):
    for i in range(n):
        j = tl.load(Index + i)
        x = tl.load(X + j, mask=j < k, other=7)
        tl.store(Y + i, x)


# tritonopt: x: i32[k], index: i32[n] in 0..9
def run(x: torch.Tensor, index: torch.Tensor):
    y = torch.empty_like(index)
    kernel[(1,)](x, index, y, index.numel(), x.numel())
    return y
