# expect: analysis compiler-is-not-told
"""Listed by its name."""

import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["N"])
def double(X, Y, N, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < N)
    tl.store(Y + offsets, x * 2, mask=offsets < N)
