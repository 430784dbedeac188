# expect: missed data-may-change
"""What is loaded is an index, so an integer; but a store converts what it stores, so nothing says
that the output is no tensor of integers, and then it may be that tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(X, Index, Out, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for start in range(0, n, BLOCK):
        row = tl.load(Index + tl.program_id(0))
        cols = start + lanes
        x = tl.load(X + row * n + cols, mask=cols < n).to(tl.float32)
        tl.store(Out + tl.program_id(0) * n + cols, x, mask=cols < n)


def gather(x: torch.Tensor, index: torch.Tensor, out: torch.Tensor):
    gather_kernel[(index.numel(),)](x, index, out, x.shape[1], BLOCK=64)
