# expect: silent
"""Only a program that starts past the end could select element 0."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(N % BLOCK == 0)
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = tl.where(offs < N, offs, 0)
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))
