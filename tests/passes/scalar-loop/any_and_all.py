# verify: always
# options: block=32
"""Whether any element is so, and whether all are."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n):
    some = False
    every = True
    flag = 0
    for i in range(n):
        x = tl.load(X + i)
        some = some | (x == 3)
        every &= x > -4
        if x == 5:
            flag = 1
    tl.store(Y, some)
    tl.store(Y + 1, every)
    tl.store(Y + 2, flag)


# tritonopt: x: i32[n] in -5..5
def run(x: torch.Tensor):
    n = x.numel()
    y = torch.zeros(4, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, n)
    return y
