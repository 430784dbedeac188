# expect: missed tile-is-long
# options: programs=1
"""The place of the largest is found tile by tile: the length of a tile is a part of that."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = -float("inf")
    best = 0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        new, place = tl.max(x, axis=0, return_indices=True)
        best = tl.where(new > top, start + place, best)
        top = tl.maximum(top, new)
    tl.store(Y + row, best)


# tritonopt: x: f32[m, n]
def run(x):
    m, n = x.shape
    y = torch.empty(m, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y
