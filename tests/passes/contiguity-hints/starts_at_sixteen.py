# expect: analysis hint-can-be-false
"""32 lanes from 16 on: consecutive, but 16 is no multiple of 32."""

import triton
import triton.language as tl


@triton.jit
def kernel(X, Y):
    lanes = tl.arange(16, 48)
    lanes = tl.max_contiguous(tl.multiple_of(lanes, 32), 32)
    tl.store(Y + lanes, tl.load(X + lanes))
