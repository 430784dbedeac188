# expect: analysis reads-what-others-write
"""Nothing but the caller decides whether the neighbor is read."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, N, SHIFTED: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    read = offsets
    if SHIFTED:
        read = offsets + 1
    x = tl.load(X + read, mask=read < N)
    tl.store(X + offsets, x * 2, mask=read < N)


def launch(x, shifted: bool = False):
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, n, SHIFTED=shifted, BLOCK=64)
