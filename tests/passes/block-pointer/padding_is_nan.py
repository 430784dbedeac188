# verify: always
"""What is outside is NaN: the sum over a ragged tile is NaN before and after."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="nan")
    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty(triton.cdiv(n, 32), dtype=x.dtype)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y
