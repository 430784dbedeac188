# options: block=32
"""A search for the first element of a kind."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    found = -1
    for i in range(n):
        if found == -1 and tl.load(X + i) > 2:
            found = i
    tl.store(Y, found)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
