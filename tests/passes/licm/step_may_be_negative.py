# expect: missed may-run-zero-times
"""Nobody knows which way the loop counts, so nobody can say when it runs."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for i in range(row, n, flag):
        tl.store(Out + i, tl.load(X + i) * tl.load(W + row))


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
