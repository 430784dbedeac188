# expect: missed not-a-descriptor
"""A block pointer loads booleans as int8: -1 + -1 is none of theirs."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.program_id(0) * B + tl.arange(0, B), x + x, mask=tl.arange(0, B) < n)


def run(m: int):
    x = torch.ones(m, dtype=torch.bool)
    y = torch.empty(m, dtype=torch.int32)
    kernel[(1,)](x, y, m, B=32)
    return y
