# verify: always
# options: programs=1
"""Each launch makes the tile long; a short row gets one that fits, and shares a program."""

import torch
import triton
import triton.language as tl


@triton.jit
def sums_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + row, tl.sum(acc, axis=0))


# tritonopt: x: f32[m, n]
def sums(x):
    m, n = x.shape
    y = torch.empty(m, device=x.device)
    sums_kernel[(m,)](x, y, x.stride(0), n, BLOCK=1024)
    return y
