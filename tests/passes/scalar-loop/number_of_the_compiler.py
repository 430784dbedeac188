# expect: missed not-lane-by-lane
"""The compiler's number becomes an int8 here, and int32 in a tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    for i in tl.static_range(40):
        tl.store(Y + i, tl.load(X + i) * i)


def run(x: torch.Tensor):
    y = torch.zeros(40, dtype=torch.int32)
    kernel[(1,)](x.to(torch.int8), y, 40)
    return y
