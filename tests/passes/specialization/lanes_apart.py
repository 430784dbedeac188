# expect: analysis compiler-is-not-told
"""Where the stride is 1, lanes lie side by side, and nobody tells."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather(X, Y, stride: int, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(X + lanes * stride)
    tl.store(Y + tl.program_id(0) * BLOCK + lanes, x)
