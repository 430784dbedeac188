# expect: missed may-run-zero-times
"""A while loop may run no time at all."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, Out, n, flag, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    while i < n:
        tl.store(Out + i, tl.load(X + i) * tl.load(W))
        i += tl.num_programs(0)


def run(x, w, flag=1):
    m, n = x.shape
    out = torch.empty_like(x)
    kernel[(m,)](x, w, out, n, flag, BLOCK=16)
    return out
