# expect: missed threads-exchange-data
"""An atomic behind the loop may tell others that all is stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, Done, n):
    for i in range(n):
        tl.store(Y + i, tl.load(X + i))
    tl.atomic_xchg(Done, 1)


def run(x: torch.Tensor):
    y, done = torch.empty_like(x), torch.zeros(1, dtype=torch.int32)
    kernel[(1,)](x, y, done, x.numel())
    return y
