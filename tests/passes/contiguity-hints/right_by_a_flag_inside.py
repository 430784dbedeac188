# expect: silent
"""The flag may say just what the hint needs."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = tl.max_contiguous(tl.multiple_of(offs % N, BLOCK), BLOCK) if EVEN else offs
    tl.store(Y + offs, tl.load(X + src))
