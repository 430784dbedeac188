# expect: missed not-shown
"""Another heuristic takes the place of the first."""

import torch
import triton
import triton.language as tl


HEURISTICS = {"BLOCK": lambda args: 128}
HEURISTICS["BLOCK"] = lambda args: 256


@triton.heuristics(HEURISTICS)
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs % N
    tl.store(Y + offs, tl.load(X + src))


def run(x, n):
    y = torch.empty_like(x)
    assert n % 128 == 0
    kernel[(4,)](x, y, n)
    return y
