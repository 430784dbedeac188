# options: num_stages=0,unroll=4
"""The turns of an unrolled loop stay in their order, whatever they store."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(X, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in tl.range(0, N, BLOCK, loop_unroll_factor=4):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * 2.0, mask=cols < N)


def scaled(x: torch.Tensor):
    m, n = x.shape
    y = x.clone().contiguous()
    scale[(m,)](y, y, n, BLOCK=64)
    return y
