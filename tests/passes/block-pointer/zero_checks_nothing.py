"""`boundary_check=0` names no axis: Triton asks whether it is true. `(0)` is the same."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (B // 2,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (B // 2,), (1,), (pid * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=0, padding_option="nan")
    tl.store(y_block, x, boundary_check=(0))


def run(x: torch.Tensor):
    """x: f32[32]"""
    y = torch.empty_like(x)
    kernel[(1,)](x, y, B=32)
    return y
