# expect: missed compiler-knows
"""The loop stores nothing, so the compiler moves the load itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(X + row * n + cols, mask=cols < n, other=0.0) * tl.load(W + row)
    tl.store(Out + row, tl.sum(acc, axis=0))


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
