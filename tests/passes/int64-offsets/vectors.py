# expect: silent
"""One dimension is checked together with something else; its stride is 1."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, stride, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets.to(tl.int64) * 0 + offsets * stride, mask=offsets < 1024, other=0.0)
    tl.store(Y + offsets.to(tl.int64), x * 2, mask=offsets < 1024)


def launch(x, y):
    if x.dim() != 1 or y.dim() != 1:
        raise ValueError("vectors only")
    n = x.shape[0]
    kernel[(triton.cdiv(n, 1024),)](x, y, x.stride(0), n, BLOCK=1024)
    return y
