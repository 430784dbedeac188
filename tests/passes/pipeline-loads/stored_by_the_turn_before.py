# expect: missed data-may-change
"""Each turn loads what the one before stored. Triton pipelines that all the same, and loads what was
there before."""

import torch
import triton
import triton.language as tl


@triton.jit
def running(X, N, BLOCK: tl.constexpr):
    for start in range(0, N - BLOCK, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols)
        tl.store(X + cols + BLOCK, x + 1.0)


def ran(x: torch.Tensor):
    running[(1,)](x, x.numel(), BLOCK=64)
