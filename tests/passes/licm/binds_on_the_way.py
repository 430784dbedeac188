# expect: unchanged
"""The expression with the load binds a name that the loop reads before. Triton does not compile
it, the interpreter runs it."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(W, Out, n):
    place = 3
    for i in range(n):
        tl.store(Out + n + i, place)
        w = tl.load(W + (place := 5))
        tl.store(Out + i, w)


def run(w, n):
    out = torch.empty(2 * n)
    kernel[(1,)](w, out, n)
    return out
