# expect: missed data-may-change
"""`case w` binds the name to what the launcher allocated."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(W, Out, n):
    for i in range(n):
        tl.store(Out + i, tl.load(W) + i)


def run(w, n):
    out = torch.zeros(n)
    match out:
        case w:
            kernel[(1,)](w, out, n)
    return out
