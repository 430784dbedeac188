# expect: silent
"""Of pointers, multiples are bytes, and what a tensor's memory is aligned to is not ours to say."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.multiple_of(X + tl.minimum(offs, 7) % 8, 16)
    tl.store(Y + offs, tl.load(source))
