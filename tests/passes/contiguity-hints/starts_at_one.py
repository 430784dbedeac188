# expect: analysis hint-can-be-false
"""Plain offsets that start one too late."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    src = offs + 1
    src = tl.max_contiguous(tl.multiple_of(src, BLOCK), BLOCK)
    tl.store(Y + offs, tl.load(X + src))
