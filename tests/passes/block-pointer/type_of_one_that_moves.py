# verify: always
"""The type of a block pointer that goes is asked of its base."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    y_block = tl.make_block_ptr(Y, (n,), (1,), (0,), (B,), (0,))
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    for _ in range(tl.cdiv(n, B)):
        x = tl.load(x_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
        tl.store(y_block, (x * 3).to(y_block.dtype.element_ty), boundary_check=(0,))
        x_block = x_block.advance((B,))
        y_block = y_block.advance([B])


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel(), B=16)
    return y
