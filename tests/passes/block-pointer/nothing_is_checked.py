# verify: always
"""Tiles that fit: no boundary check, no mask."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, B: tl.constexpr):
    begin = tl.program_id(0) * B
    x_block = tl.make_block_ptr(X, (B,), (1,), (begin,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (B,), (1,), (begin,), (B,), (0,))
    tl.store(y_block, tl.load(x_block) + 1)


def run(x: torch.Tensor):
    x = x.reshape(-1)[: x.numel() // 8 * 8]
    y = torch.empty_like(x)
    kernel[(x.numel() // 8,)](x, y, B=8)
    return y
