# expect: analysis compiler-is-not-told
"""The rows of the matrix are so long, and so they begin at any element."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["T"])
def copy_square(X, Y, B, T, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = rows < T
    bias = tl.load(B + rows, mask=mask, other=0.0)
    offsets = rows[:, None] * T + rows[None, :]
    x = tl.load(X + offsets, mask=mask[:, None] & mask[None, :])
    tl.store(Y + offsets, x + bias[:, None], mask=mask[:, None] & mask[None, :])
