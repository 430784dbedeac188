# options: block=32
"""The names that the loop would get are taken, and so is that of the index."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, start, mask):
    i = start + mask
    acc_tile = i * 2
    acc = 0
    for i in range(n):
        if i < mask:
            acc += tl.load(X + i) + start
    tl.store(Y, acc + acc_tile)


# tritonopt: x: i32[n] in -5..5, start: int in 1..3, mask: int in 0..300
def run(x: torch.Tensor, start: int, mask: int):
    y = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(1,)](x, y, x.numel(), start, mask)
    return y
