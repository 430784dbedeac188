# expect: analysis compiler-is-not-told
"""The lanes of a column lie a stride apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather(X, Y, stride: int, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + 16 * tl.program_id(0) + lanes * stride)
    tl.store(Y + tl.program_id(0) * BLOCK + lanes, x)
