# expect: missed data-may-change
"""Behind the inner loop something is stored that it loads in the next turn of the outer one."""

import torch
import triton
import triton.language as tl


@triton.jit
def sweeps(X, N, turns, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for _ in range(turns):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + lanes
            total += tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(X + lanes, total, mask=lanes < N)


def swept(x: torch.Tensor):
    sweeps[(1,)](x, x.numel(), 3, BLOCK=64)
