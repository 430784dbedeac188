# expect: missed called-from-a-kernel
"""Another kernel calls this one."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total)


@triton.jit
def outer(X, Y, N, W, BLOCK: tl.constexpr):
    kernel(X, Y, N, W, BLOCK)
