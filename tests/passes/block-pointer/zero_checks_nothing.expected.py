"""`boundary_check=0` names no axis: Triton asks whether it is true. `(0)` is the same."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    pid = tl.program_id(0)
    offs_b = pid * B + tl.arange(0, B).to(tl.int64)
    x_block = X + offs_b
    y_block = Y + offs_b
    x = tl.load(x_block)
    tl.store(y_block, x)


def run(x: torch.Tensor):
    """x: f32[32]"""
    y = torch.empty_like(x)
    kernel[(1,)](x, y, B=32)
    return y
