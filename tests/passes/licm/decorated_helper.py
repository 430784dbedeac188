# expect: missed unknown-call
"""The text of the helper is not what runs: the decorator may put another function in its place."""

import torch
import triton
import triton.language as tl

from elsewhere import faster


@faster
@triton.jit
def put(y, i, value):
    pass


@triton.jit
def kernel(x, y, n):
    for i in range(0, n):
        first = tl.load(x)
        tl.store(y + i, first)
        put(x, i, first + 1)


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel())
    return y
